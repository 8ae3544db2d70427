//! Modules that need each other in a circle: found by reading the sources of a crate, folder by folder.
//!
//! Of the modules in one folder (a folder counts as one module), none may need another that needs it again.
//! A child may name what its parent defines; what a parent only re-exports is looked up where it is defined.
//! What stands behind `#[cfg(test)]` does not count. Not here: the order of crates, which Cargo keeps; what
//! `use …::*` brings in, which this workspace writes in tests only.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module by its names from the crate's root.
type Module = Vec<String>;

/// The modules that each module needs.
type Needs = BTreeMap<Module, BTreeSet<Module>>;

/// How often a name may be re-exported on its way: more than anybody writes.
const MAX_HOPS: usize = 16;

/// A problem for each circle in the crates that `files`, by their paths in the workspace, belong to.
pub(crate) fn problems(files: &[&Path]) -> Vec<String> {
    let mut crates: BTreeMap<String, Crate> = BTreeMap::new();
    for path in files {
        if let Some((name, module)) = module_of(path) {
            let source = std::fs::read_to_string(path).expect("tracked sources are readable");
            crates.entry(name).or_default().read(&module, &source);
        }
    }
    let told = crates.iter().flat_map(|(name, read)| read.circles().into_iter().map(move |it| (name, it)));
    told.map(|(name, circle)| format!("{name}: these modules need each other in a circle: {circle}"))
        .collect()
}

/// The crate's folder and the module of `<crate>/src/…`; nothing for tests, examples and benches beside it.
fn module_of(path: &Path) -> Option<(String, Module)> {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let source = parts.iter().position(|part| *part == "src")?;
    let names = parts[source + 1..].iter().map(|part| part.trim_end_matches(".rs").to_owned());
    let mut module: Module = names.collect();
    if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        module.pop();
    }
    Some((parts[..source].join("/"), module))
}

/// What the sources of a crate say.
#[derive(Default)]
struct Crate {
    modules: BTreeMap<Module, Source>,
    /// Modules in files of their own that only tests see.
    tests: BTreeSet<Module>,
}

/// What the source of a module says.
#[derive(Default)]
struct Source {
    /// Every path that may lead into another module of the crate.
    paths: Vec<Vec<String>>,
    /// Where each name that the module imports comes from.
    imports: BTreeMap<String, Vec<String>>,
}

impl Crate {
    fn read(&mut self, module: &Module, source: &str) {
        let tokens = TokenStream::from_str(source).expect("sources that compile are made of tokens");
        self.modules.entry(module.clone()).or_default();
        self.read_tokens(module, tokens);
    }

    fn read_tokens(&mut self, module: &Module, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at += self.read_next(module, &tokens, at);
        }
    }

    /// Reads what stands at `at`, and gives how many tokens that are.
    fn read_next(&mut self, module: &Module, tokens: &[TokenTree], at: usize) -> usize {
        let word = match &tokens[at] {
            TokenTree::Group(group) => {
                self.read_tokens(module, group.stream());
                return 1;
            }
            TokenTree::Ident(word) => word.to_string(),
            TokenTree::Punct(_) if is_test(&tokens[at..]) => return self.skip(module, &tokens[at..]),
            _ => return 1,
        };
        // `pub(in …)` says who may need this one, not what it needs.
        let before = at.checked_sub(1).map(|before| tokens[before].to_string()).unwrap_or_default();
        match word.as_str() {
            "mod" => self.read_inline(module, &tokens[at..]),
            "use" => 1 + self.read_paths(module, &tokens[at + 1..], true),
            "crate" | "super" if before != "in" => self.read_paths(module, &tokens[at..], false),
            _ => 1,
        }
    }

    /// Reads `mod name { … }`; `mod name;` is read with its own file.
    fn read_inline(&mut self, module: &Module, tokens: &[TokenTree]) -> usize {
        let [_, TokenTree::Ident(name), TokenTree::Group(body), ..] = tokens else { return 1 };
        let inner = [&module[..], &[name.to_string()]].concat();
        self.modules.entry(inner.clone()).or_default();
        self.read_tokens(&inner, body.stream());
        3
    }

    fn read_paths(&mut self, module: &Module, tokens: &[TokenTree], are_imports: bool) -> usize {
        let mut found = Vec::new();
        let taken = follow(tokens, &[], &mut found);
        let source = self.modules.entry(module.clone()).or_default();
        for (name, path) in found {
            source.paths.push(path.clone());
            if are_imports {
                source.imports.insert(name, path);
            }
        }
        taken
    }

    /// Passes over an item that only tests see.
    fn skip(&mut self, module: &Module, tokens: &[TokenTree]) -> usize {
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(word) if word == "mod" => {
                    self.tests.insert([&module[..], &[tokens[at + 1].to_string()]].concat());
                }
                TokenTree::Punct(mark) if mark.as_char() == ';' => return at + 1,
                // The braces of `use a::{b};` are not its end.
                TokenTree::Group(group)
                    if group.delimiter() == Delimiter::Brace && !is_colons(tokens, at.saturating_sub(2)) =>
                {
                    return at + 1;
                }
                _ => {}
            }
        }
        tokens.len()
    }

    fn circles(&self) -> Vec<String> {
        let needs = self.needs();
        let circles = needs.keys().filter_map(|start| circle(start, &needs));
        // A circle is found from each of its modules.
        let mut told = BTreeSet::new();
        circles
            .filter(|circle| told.insert(circle.iter().cloned().collect::<BTreeSet<_>>()))
            .map(|circle| circle.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(" -> "))
            .collect()
    }

    /// What each module needs of those in the same folder, itself or through what it holds.
    fn needs(&self) -> Needs {
        let mut needs = Needs::new();
        for (module, source) in self.modules.iter().filter(|(module, _)| !self.is_test(module)) {
            for target in source.paths.iter().filter_map(|path| self.resolve(module, path, MAX_HOPS)) {
                let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
                if common < module.len() && common < target.len() {
                    needs.entry(module[..=common].into()).or_default().insert(target[..=common].into());
                }
            }
        }
        needs
    }

    fn is_test(&self, module: &Module) -> bool {
        (1..=module.len()).any(|length| self.tests.contains(&module[..length]))
    }

    /// The module that defines what `path` names in the module `from`, or the last one on the way to it; nothing
    /// for what other crates define.
    fn resolve(&self, from: &Module, path: &[String], hops: usize) -> Option<Module> {
        let (mut module, rest) = self.start(from, path)?;
        for (at, name) in rest.iter().enumerate() {
            module.push(name.clone());
            if self.modules.contains_key(&module) {
                continue;
            }
            module.pop();
            if let Some(import) = self.modules.get(&module)?.imports.get(name)
                && hops > 0
            {
                let path = [&import[..], &rest[at + 1..]].concat();
                return self.resolve(&module, &path, hops - 1).or(Some(module));
            }
            break;
        }
        Some(module)
    }

    /// Where a path sets out, and what of it is left then.
    fn start<'a>(&self, from: &Module, path: &'a [String]) -> Option<(Module, &'a [String])> {
        match path.first()?.as_str() {
            "crate" => Some((Module::new(), &path[1..])),
            "self" => Some((from.clone(), &path[1..])),
            "super" => {
                let supers = path.iter().take_while(|name| *name == "super").count();
                Some((from[..from.len().checked_sub(supers)?].into(), &path[supers..]))
            }
            child => {
                let inner = [&from[..], &[child.to_owned()]].concat();
                self.modules.contains_key(&inner).then_some((inner, &path[1..]))
            }
        }
    }
}

/// Whether these tokens begin with an attribute that leaves the next item to tests.
fn is_test(tokens: &[TokenTree]) -> bool {
    let [TokenTree::Punct(mark), TokenTree::Group(attribute), ..] = tokens else { return false };
    let attribute = attribute.stream().to_string().replace(' ', "");
    mark.as_char() == '#' && ["cfg(test)", "cfg(all(test,"].iter().any(|start| attribute.starts_with(start))
}

fn is_colons(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = |at| matches!(tokens.get(at), Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
    is_colon(at) && is_colon(at + 1)
}

/// Follows a path and its braces, `a::{b, c::d as e}`, with the name that each is known by; gives how many tokens
/// it took.
fn follow(tokens: &[TokenTree], prefix: &[String], found: &mut Vec<(String, Vec<String>)>) -> usize {
    let mut path = prefix.to_vec();
    let mut at = 0;
    loop {
        match tokens.get(at) {
            // `a::{self}` is `a`.
            Some(TokenTree::Ident(word)) if word == "self" && !path.is_empty() => {}
            Some(TokenTree::Ident(word)) => path.push(word.to_string()),
            Some(TokenTree::Group(group)) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for entry in inner.split(|token| token.to_string() == ",") {
                    follow(entry, &path, found);
                }
                return at + 1;
            }
            _ => break,
        }
        at += 1;
        if !is_colons(tokens, at) {
            break;
        }
        at += 2;
    }
    let name = match tokens.get(at..at + 2) {
        Some([TokenTree::Ident(word), name]) if word == "as" => Some(name.to_string()),
        _ => path.last().cloned(),
    };
    found.extend(name.map(|name| (name, path)));
    at
}

/// The shortest way from `start` back to it, if there is one.
fn circle(start: &Module, needs: &Needs) -> Option<Vec<Module>> {
    let mut ways = VecDeque::from([vec![start.clone()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in needs.get(way.last()?).into_iter().flatten() {
            let longer = [&way[..], std::slice::from_ref(next)].concat();
            if next == start {
                return Some(longer);
            }
            if seen.insert(next) {
                ways.push_back(longer);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The circles in a crate of these files, by their paths in `src`.
    fn circles(files: &[(&str, &str)]) -> Vec<String> {
        let mut read = Crate::default();
        for (path, source) in files {
            let (_, module) = module_of(&Path::new("crates/x/src").join(path)).expect("it lies in `src`");
            read.read(&module, source);
        }
        read.circles()
    }

    #[test]
    fn a_circle_is_told_once_and_a_chain_is_none() {
        let chain =
            [("lib.rs", "mod a; mod b; mod c;"), ("a.rs", "use crate::b::Y;"), ("b.rs", "use super::c::Z;")];
        assert_eq!(circles(&chain), [""; 0]);
        let circle = [&chain[..], &[("c.rs", "fn f(x: crate::a::X) {}")]].concat();
        assert_eq!(circles(&circle), ["a -> b -> c -> a"]);
    }

    #[test]
    fn groups_and_renames_are_followed() {
        let told = circles(&[
            ("a.rs", "use crate::{c, b::{self as d, E as F}};"),
            ("b.rs", "use crate::{a::X};"),
            ("c.rs", ""),
        ]);
        assert_eq!(told, ["a -> b -> a"]);
    }

    #[test]
    fn names_are_looked_up_where_they_are_defined() {
        let root = ("lib.rs", "mod a; mod b; pub use a::X as Y; pub struct Root; pub use core::fmt::Error;");
        let a = ("a.rs", "use crate::b::Z;");
        assert_eq!(circles(&[root, a, ("b.rs", "use crate::Y;")]), ["a -> b -> a"]);
        assert_eq!(circles(&[root, a, ("b.rs", "use crate::{Error, Root};")]), [""; 0]);
    }

    #[test]
    fn a_folder_is_one_module_and_its_children_may_name_it() {
        let files = [
            ("a/mod.rs", "mod inner; use inner::I; pub struct A;"),
            ("a/inner.rs", "use super::A; use crate::b::B;"),
            ("b.rs", "pub(in crate::a) struct B; // crate::a"),
        ];
        assert_eq!(circles(&files), [""; 0]);
        let back = [&files[..2], &[("b.rs", "mod inside { use super::super::a::A; }")]].concat();
        assert_eq!(circles(&back), ["a -> b -> a"]);
    }

    #[test]
    fn what_only_tests_see_does_not_count() {
        let files = [
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod seen; "),
            ("a.rs", "#[cfg(test)] use crate::{b::B}; #[cfg(test)] mod tests { use crate::b::B; }"),
            ("b.rs", "use crate::a::A; #[cfg(test)] mod tests; #[cfg(test)] fn f() { crate::seen::g() }"),
            ("b/tests.rs", "use crate::seen::g;"),
            ("seen.rs", "use crate::{a::A, b::B};"),
        ];
        assert_eq!(circles(&files), [""; 0]);
        let after = ("a.rs", "#[cfg(test)] mod tests {} use crate::b::B;");
        assert_eq!(circles(&[files[0], after, files[2]]), ["a -> b -> a"]);
    }
}
