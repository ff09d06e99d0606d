//! The walk through a file: which expressions are sites. A constant cannot ask the switch, and neither can a pattern.

use super::sites::Sites;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, ImplItem, Item, UnOp};

/// Whether an item is for tests or for the verifier.
pub(super) fn hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let words = words(&attribute.meta);
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && !words.contains("not")
                && (words.contains("test") || words.contains("kani")))
    })
}

fn words(meta: &syn::Meta) -> String {
    match meta {
        syn::Meta::List(list) => list.tokens.to_string(),
        _ => String::new(),
    }
}

/// Whether `let` is one of the conditions: then it is a chain, and no expression that could be moved.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Sites<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Const(_) | Item::Static(_) | Item::Enum(_) | Item::Type(_) => return,
            Item::Fn(function) => return self.function(&function.attrs, &function.sig, &function.block),
            Item::Impl(item) => {
                let words = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
                // Words for people.
                if words.is_some_and(|segment| segment.ident == "Display" || segment.ident == "Debug") {
                    return;
                }
                &item.attrs
            }
            Item::Mod(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            _ => &[],
        };
        if !hidden(attributes) {
            let owner = match item {
                Item::Impl(item) => Some(self.text[item.self_ty.span().byte_range()].to_owned()),
                Item::Trait(item) => Some(item.ident.to_string()),
                _ => None,
            };
            let owned = owner.is_some();
            self.functions.extend(owner);
            visit::visit_item(self, item);
            if owned {
                self.functions.pop();
            }
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(function) => self.function(&function.attrs, &function.sig, &function.block),
            ImplItem::Const(_) => {}
            _ => visit::visit_impl_item(self, item),
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(&function.attrs, &function.sig, block);
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.is_ident("contract") {
            self.clauses(&call.tokens);
        }
    }

    /// Lengths of arrays and patterns are no expressions that could ask.
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_expr_binary(&mut self, whole: &'ast syn::ExprBinary) {
        use BinOp as B;
        let arithmetic = |was| match was {
            "+" => Some(["-", "*"]),
            "-" | "*" => Some(["+", "/"]),
            "/" => Some(["%", "*"]),
            "%" => Some(["/", "+"]),
            "&" => Some(["|", "^"]),
            "|" => Some(["&", "^"]),
            "^" => Some(["|", "&"]),
            "+=" => Some(["-=", "*="]),
            "-=" | "*=" => Some(["+=", "/="]),
            "/=" => Some(["%=", "*="]),
            "%=" => Some(["/=", "+="]),
            "&=" => Some(["|=", "^="]),
            "|=" => Some(["&=", "^="]),
            "^=" => Some(["|=", "&="]),
            _ => None,
        };
        let was = self.text[whole.op.span().byte_range()].to_owned();
        let assigns = was.ends_with('=') && !matches!(was.as_str(), "==" | "!=" | "<=" | ">=");
        match whole.op {
            B::And(_) | B::Or(_) => {
                if !has_let(&whole.left) && !has_let(&whole.right) {
                    self.lazy(whole, was == "&&");
                }
            }
            B::Eq(_) => self.operator(whole, &was, &["!="], true),
            B::Ne(_) => self.operator(whole, &was, &["=="], true),
            B::Lt(_) => self.operator(whole, &was, &["==", ">", "<="], true),
            B::Gt(_) => self.operator(whole, &was, &["==", "<", ">="], true),
            B::Le(_) => self.operator(whole, &was, &[">", "<"], true),
            B::Ge(_) => self.operator(whole, &was, &["<", ">"], true),
            B::Shl(_) => self.operator(whole, &was, &[">>"], false),
            B::Shr(_) => self.operator(whole, &was, &["<<"], false),
            B::ShlAssign(_) => self.assignment(whole, &was, &[">>="]),
            B::ShrAssign(_) => self.assignment(whole, &was, &["<<="]),
            _ => match arithmetic(&*was) {
                Some(others) if assigns => self.assignment(whole, &was, &others),
                Some(others) => self.operator(whole, &was, &others, false),
                None => {}
            },
        }
        // The place of an assignment is written more than once: nothing in it is a site.
        if !assigns {
            self.visit_expr(&whole.left);
        }
        self.visit_expr(&whole.right);
    }

    fn visit_expr_unary(&mut self, whole: &'ast syn::ExprUnary) {
        match whole.op {
            UnOp::Not(_) => self.unary(whole, "!"),
            // A negative literal may be the smallest of its type.
            UnOp::Neg(_) => self.unary(whole, "-"),
            _ => {}
        }
        visit::visit_expr_unary(self, whole);
    }

    fn visit_expr_match(&mut self, whole: &'ast syn::ExprMatch) {
        self.visit_expr(&whole.expr);
        let rest = whole.arms.iter().any(|arm| matches!(arm.pat, syn::Pat::Wild(_)) && arm.guard.is_none());
        for arm in &whole.arms {
            if let Some((_, guard)) = &arm.guard {
                if let Some((site, kept)) = self.site(guard.span(), "guard", &["false", "true"]) {
                    let arms: String = kept
                        .iter()
                        .map(|(choice, value)| format!("\n/*M{site}.{choice}*/ {choice} => {value},"))
                        .collect();
                    let range = guard.span().byte_range();
                    self.begins(
                        range.start,
                        format!("/*S{site}<*/(match crate::mutant::which({site}) {{{arms}\n_ => "),
                    );
                    self.ends(range.end, format!("}})/*S{site}>*/"));
                }
                self.visit_expr(guard);
            } else if rest && !matches!(arm.pat, syn::Pat::Wild(_)) {
                let was = format!("arm {}", &self.text[arm.pat.span().byte_range()]);
                if let Some((site, _)) = self.site(arm.pat.span(), &was, &["nothing"]) {
                    let at = arm.pat.span().byte_range().end;
                    self.ends(
                        at,
                        format!(
                            "/*S{site}<*/\n/*M{site}.1*/ if crate::mutant::which({site}) == 0 /*S{site}>*/"
                        ),
                    );
                }
            }
            self.visit_expr(&arm.body);
        }
    }
}
