use super::*;

/// Names with their sorts and hypotheses.
fn read(text: &str) -> Vec<(String, Sort, Vec<String>)> {
    let found = parse(text).unwrap();
    found.into_iter().map(|d| (d.name, d.sort, d.hypotheses.iter().map(Bound::key).collect())).collect()
}

fn names(text: &str) -> Vec<String> {
    read(text).into_iter().map(|(name, ..)| name).collect()
}

#[test]
fn a_name_in_a_comment_a_string_or_a_notation_is_no_declaration() {
    assert!(names("(* Lemma a : b. Proof. Qed. *)").is_empty());
    assert!(names("(** Theorem (* nested. *) a : b. *)").is_empty());
    assert!(names("Notation \"'Lemma' a\" := (f a). Notation b := (c \"Lemma d : e. \").").is_empty());
    assert!(names("Search \"Lemma a : b.\". Check Theorem.").is_empty());
    assert_eq!(names("Lemma (* b *) a (* : c. *) : d (* Lemma e : f. *) . Proof. Qed."), ["a"]);
    assert!(names("Fail Lemma a : b := c.").is_empty());
}

#[test]
fn a_theorem_is_what_was_proved() {
    let sorts = |text: &str| read(text).into_iter().map(|(_, sort, _)| sort).collect::<Vec<_>>();
    assert_eq!(sorts("Lemma a : b. Proof. by []. Qed."), [Sort::Theorem]);
    assert_eq!(sorts("Lemma a : b. Proof. { - by []. } Qed."), [Sort::Theorem]);
    assert_eq!(sorts("#[local] Theorem a : b. Proof using x. done. Defined."), [Sort::Theorem]);
    assert_eq!(sorts("Local Corollary a : b. Proof (c d)."), [Sort::Theorem]);
    assert_eq!(sorts("Fact a : b := c."), [Sort::Theorem]);
    assert_eq!(sorts("Lemma a : b. Proof. (* Qed. *) Admitted."), [Sort::Unproved]);
    assert_eq!(sorts("Lemma a : b. Proof. idtac \"Qed. \". Abort."), [Sort::Unproved]);
    assert_eq!(sorts("Lemma a : b."), [Sort::Unproved]);
    assert_eq!(sorts("Lemma a : b. Admitted. Lemma c : d. Qed."), [Sort::Unproved, Sort::Theorem]);
    assert_eq!(sorts("Definition a : b. Proof. Admitted."), [Sort::Unproved]);
    assert_eq!(sorts("Definition a : b. Proof. exact c. Defined."), [Sort::Definition]);
    assert_eq!(sorts("Axiom a : b. Parameters (c d : e) (f : g)."), [Sort::Axiom; 4]);
    assert_eq!(sorts("Variable a : b. Hypothesis c : d."), [Sort::Axiom; 2]);
    assert_eq!(
        sorts("Program Definition a := b. Next Obligation. Admitted."),
        [Sort::Definition, Sort::Unproved]
    );
    assert!(sorts("Goal a. Abort.").is_empty());
    assert!(sorts("Module Type I. Axiom a : b. End I.").is_empty());
}

#[test]
fn a_theorem_has_the_hypotheses_of_the_sections_around_it() {
    let text = "Section S. Variables (R : realType) (x y : R). Hypothesis xy : x <= y.
        Section T. Context {d} `{z : R}. Lemma a w : 0 <= w -> x <= w. Proof. Qed. End T.
        Lemma b : x < y. Proof. Qed. End S. Lemma c : True. Proof. Qed.";
    let found = read(text);
    assert_eq!(found[0].2, ["R", "x", "y", "xy", "d", "z", "w", "0 <= w"]);
    assert_eq!(found[1].2, ["R", "x", "y", "xy"]);
    assert!(found[2].2.is_empty());
}

#[test]
fn modules_qualify_names_and_sections_do_not() {
    let text =
        "Module M. Section S. Lemma a : b. Proof. Qed. End S. Module N := K. End M. Lemma c : d. Proof. Qed.";
    assert_eq!(names(text), ["M.a", "c"]);
}

#[test]
fn records_have_fields() {
    let text = "Record contracts (R : realType) (e : R) : Type := Contracts {
        first : forall x, x <= e ; (* hidden : R; *)
        second : \"third : R;\" = \"\";
        kernel :> R -> R }.
        Inductive two := A | B. Definition d := { x : nat | x = 0 }.";
    let found = parse(text).unwrap();
    let fields: Vec<_> = found[0].fields.as_ref().unwrap().iter().map(Bound::key).collect();
    assert_eq!(fields, ["first", "second", "kernel"]);
    assert_eq!(found[0].hypotheses.iter().map(Bound::key).collect::<Vec<_>>(), ["R", "e"]);
    assert!(found[1].fields.is_none());
    assert_eq!(found[2].name, "d");
}

#[test]
fn predicates_are_known_by_their_type_or_their_body() {
    let text = "Definition a x : Prop := b x. Definition c x := forall y, x <= y. Definition e x := c x.
        Definition f x := x + 1. Record g : Prop := { h : 0 < 1 }. Definition i x := c x /\\ c x.";
    let seen: Vec<_> = parse(text).unwrap().into_iter().filter(|d| d.predicate).map(|d| d.name).collect();
    assert_eq!(seen, ["a", "c", "e", "g", "i"]);
}

#[test]
fn what_is_not_understood_is_refused() {
    for text in [
        "Section S.",
        "End S.",
        "Section S. End T.",
        "Module F (X : T). End F.",
        "Lemma : a.",
        "Lemma a (b : c.",
        "Lemma a : forall x. Proof. Qed.",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}

/// Whatever is cut off or left out, the answer is a list or a mistake.
#[test]
fn no_text_is_too_strange() {
    let text = "(* a (* b *) \"*)\" *) Section S. Context {d} `{z : R} (h : (0 <= d)%R).\n#[local] Record r (x := y) : Prop := C \
        { f : forall x, [/\\ a & b]; _ : let q := 1 in q = 1 }. Fixpoint g n {struct n} : nat := n. Lemma l@{u} '(a, b) \
        : forall x, P x -> exists y, Q -> R. Proof. { by []. } Qed. End S. Module Type T. Axiom a : b. End T. Let x : y. Proof z.";
    assert!(parse(text).is_ok());
    for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
        let _ = parse(&text[..at]);
        let _ = parse(&text[at..]);
        let without: String = text[..at].chars().chain(text[at..].chars().skip(1)).collect();
        let _ = parse(&without);
        for mark in ["(", ")", "{", ":", ":=", ",", "->", "\"", ". ", "forall ", "let ", "#[", "|"] {
            let _ = parse(&format!("{}{mark}{}", &text[..at], &text[at..]));
        }
    }
}
