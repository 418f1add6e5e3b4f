//! Fields of maps and items of lists: look up, set, clear, match.
//!
//! In: a node and a key. Out: the node beneath, or the tree changed. kyaml's small filters, with their oddities.
//! Mirrors: sigs.k8s.io/kustomize/kyaml/yaml/fns.go.

use super::tree::{Entry, Id, Kind, Node, Tree};
use engine_json::Str;

impl Tree {
    /// The value under `key`; of two the first.
    // Go: RNode.Field.
    pub(super) fn field(&self, id: Id, key: &str) -> Option<Id> {
        self.fields(id).iter().find(|entry| entry.key == key).map(|entry| entry.value)
    }

    /// The names of the fields.
    // Go: RNode.Fields.
    pub(super) fn field_names(&self, id: Id) -> Result<Vec<Str>, String> {
        self.expect(Some(id), Kind::Map)?;
        Ok(self.fields(id).iter().map(|entry| entry.key.clone()).collect())
    }

    /// Takes a field out; of two the first.
    // Go: FieldClearer.
    pub(super) fn clear(&mut self, id: Id, key: &str) {
        self.change_fields(id, |entries| {
            if let Some(at) = entries.iter().position(|entry| entry.key == key) {
                entries.remove(at);
            }
        });
    }

    /// Gives a field another name, at its place.
    pub(super) fn rename(&mut self, id: Id, key: &str, new: &str) {
        self.change_fields(id, |entries| {
            if let Some(entry) = entries.iter_mut().find(|entry| entry.key == key) {
                entry.key = Str::new(new);
            }
        });
    }

    fn change_fields(&mut self, id: Id, change: impl FnOnce(&mut Vec<Entry>)) {
        let mut node = std::mem::replace(self.node_mut(id), Node::Null { keep: false });
        if let Node::Map(entries) = &mut node {
            change(entries);
        }
        self.set(id, node);
    }

    /// Sets a field, at the end if it is new; nothing or `null` clears it.
    ///
    /// A scalar takes over the quotes of the one that it replaces.
    // Go: FieldSetter.
    pub(super) fn set_field(
        &mut self,
        id: Id,
        key: &str,
        value: Option<Id>,
        rank: u32,
    ) -> Result<(), String> {
        let Some(value) = value.filter(|value| !matches!(self.node(*value), Node::Null { keep: false }))
        else {
            self.expect(Some(id), Kind::Map)?;
            self.clear(id, key);
            return Ok(());
        };
        self.expect(Some(id), Kind::Map)?;
        if let Some(field) = self.field(id, key) {
            let quotes = matches!(self.node(field), Node::Scalar { quoted: true, .. });
            if let Node::Scalar { quoted, .. } = self.node_mut(value) {
                *quoted = quotes;
            }
            let node = self.node(value).clone();
            self.set(field, node);
            return Ok(());
        }
        self.change_fields(id, |entries| entries.push(Entry { key: Str::new(key), value, rank }));
        Ok(())
    }

    /// A new scalar of this text.
    // Go: NewScalarRNode; a text that YAML 1.1 would not read as a string is put in quotes when it is set.
    pub(super) fn new_text(&mut self, text: &str) -> Result<Id, String> {
        let text = Str::new(text);
        self.push(Node::Scalar { value: text.clone().into(), text, quoted: true })
    }

    /// Adds an item at the end of a list.
    // Go: ElementAppender.
    pub(super) fn append(&mut self, list: Id, item: Id) -> Result<(), String> {
        self.expect(Some(list), Kind::List)?;
        if let Node::List(items) = self.node_mut(list) {
            items.push(item);
        }
        Ok(())
    }

    /// The first item of a list whose fields have these texts; with the empty key the scalar of that text.
    // Go: ElementMatcher.
    pub(super) fn find_item(
        &mut self,
        list: Id,
        keys: &[&str],
        values: &[Str],
    ) -> Result<Option<Id>, String> {
        self.spend(self.items(list).len())?;
        if keys.first().is_none_or(|key| key.is_empty()) {
            let wanted = values.first().map_or("", Str::as_str);
            return Ok(self.items(list).iter().copied().find(|item| self.text(*item) == wanted));
        }
        if keys.len() != values.len() {
            return Ok(None);
        }
        let matches = |item: Id| {
            keys.iter()
                .zip(values)
                .all(|(key, value)| self.field(item, key).is_some_and(|at| self.text(at) == *value))
        };
        Ok(self.items(list).iter().copied().find(|item| matches(*item)))
    }

    /// Replaces the items that match by `item`, or takes them out; adds `item` where none does. Items that are
    /// empty go, and all that do not match go when no value is given.
    // Go: ElementSetter.
    pub(super) fn set_item(
        &mut self,
        list: Id,
        item: Option<Id>,
        keys: &[&str],
        values: &[Str],
    ) -> Result<(), String> {
        self.expect(Some(list), Kind::List)?;
        self.spend(self.items(list).len())?;
        let is_map_setter =
            keys.first().is_some_and(|key| !key.is_empty()) && values.first().is_some_and(|v| !v.is_empty());
        let mut kept = Vec::with_capacity(self.items(list).len() + 1);
        let mut found = false;
        for &candidate in self.items(list) {
            match self.kind(candidate) {
                None => continue,
                Some(Kind::Map) if self.is_empty(candidate) => continue,
                Some(Kind::Scalar | Kind::List) if is_map_setter => {
                    kept.push(candidate);
                    continue;
                }
                Some(Kind::Scalar | Kind::Map | Kind::List) => {}
            }
            if !self.item_matches(candidate, keys, values)? {
                if !values.is_empty() {
                    kept.push(candidate);
                }
                continue;
            }
            found = true;
            kept.extend(item);
        }
        if let Some(item) = item
            && !found
            && self.kind(item).is_some()
        {
            kept.push(item);
        }
        self.set(list, Node::List(kept));
        Ok(())
    }

    /// Whether an item has all keys with these texts; an empty text stands for any, a missing one for the match of
    /// the key before.
    fn item_matches(&self, item: Id, keys: &[&str], values: &[Str]) -> Result<bool, String> {
        let mut matched = false;
        for (at, key) in keys.iter().enumerate() {
            if let Some(value) = values.get(at) {
                matched = if key.is_empty() {
                    self.expect(Some(item), Kind::Scalar)?;
                    self.text(item) == *value
                } else {
                    self.expect(Some(item), Kind::Map)?;
                    self.field(item, key).is_some_and(|field| value.is_empty() || self.text(field) == *value)
                };
            }
            if !matched {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
