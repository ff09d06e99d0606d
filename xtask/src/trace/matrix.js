"use strict";
const search = document.getElementById("search");
const count = document.getElementById("count");
const rows = Array.from(document.querySelectorAll("tbody tr"), (row) => ({ row, text: row.textContent.toLowerCase() }));

// Every word has to occur somewhere in the row.
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const { row, text } of rows) {
    row.hidden = !words.every((word) => text.includes(word));
    if (!row.hidden) shown += 1;
  }
  count.textContent = words.length ? `${shown} of ${rows.length}` : "";
}

search.addEventListener("input", filter);
search.form.addEventListener("submit", (event) => event.preventDefault());
filter();
