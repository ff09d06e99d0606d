"""From a raw table to a file that may be published: categories and empty cells go in as they are.

Run: python raw_table.py
"""

import random

import pandas

from asap_dp import PrivateLogisticRegression, Release, Schema

# What is public about the table. Nobody looked at a record for it.
SCHEMA = Schema(
    """
[target]
name = "returns"
classes = ["no", "yes"]

[columns]
"age" = [18, 100]
"days" = { range = [0, 60], missing = 5 }
"ward" = ["surgery", "medicine", "cardiology"]
"""
)


def made_up(rows: int) -> pandas.DataFrame:
    """In earnest this is pandas.read_csv("patients.csv")."""
    draw = random.Random(1)
    table = []
    for _ in range(rows):
        age, days = draw.randint(18, 100), draw.choice([None, *range(30)])
        ward = draw.choice(["surgery", "medicine", "cardiology", ""])
        risk = 0.02 * (age - 60) + 0.1 * ((5 if days is None else days) - 12) + (1.0 if ward == "cardiology" else 0.0)
        table.append((age, days, ward, "yes" if draw.gauss(0, 1) < risk else "no"))
    return pandas.DataFrame(table, columns=["age", "days", "ward", "returns"])


def main() -> None:
    table = made_up(12_000)
    model = PrivateLogisticRegression(schema=SCHEMA, epsilon=1.0, expected_rows=10_000)
    model.fit(table[:10_000])
    model.release_.save("patients.json")
    verdict = Release.load("patients.json").check()
    print(f"{len(verdict.checked)} clauses of the certificate hold")
    new = table[10_000:].drop(columns="returns")
    print("first predictions:", list(model.predict(new)[:5]))


if __name__ == "__main__":
    main()
