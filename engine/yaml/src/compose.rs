//! Tokens to nodes.
//!
//! In: the text of one document. Out: a [`Tree`] of its nodes, or the first error. `a: [1]` becomes a map whose value
//! is a list of one scalar. Behind the first document nothing is read, as in the original.
//!
//! Mirrors: go-yaml v2, parserc.go, and the node parser of decode.go.

use crate::control;
use crate::cursor::Mark;
use crate::fault::{self, Fault};
use crate::limits::{MAX_NODES, depth_text, nodes_text};
use crate::node::{Kind, Node, NodeId, Tree};
use crate::resolve::Tag;
use crate::scan::Scanner;
use crate::token::{ScalarStyle, Token, TokenKind};
use engine_json::MAX_DEPTH;
use engine_json::ordered::OrderedMap;
use std::borrow::Cow;

type Composed<T> = Result<T, Fault>;

/// Reads the first document of the text.
pub(crate) fn compose(text: &str) -> Composed<Tree<'_>> {
    let mut composer = Composer {
        scanner: Scanner::new(text),
        tree: Tree::default(),
        anchors: OrderedMap::new(),
        handles: OrderedMap::new(),
        prefixes: Vec::new(),
    };
    let outcome = composer.document();
    // The original decodes ahead of what it reads, and refuses control characters there.
    match control::first(text) {
        Some(mark) if control::is_decoded(composer.scanner.cursor.mark.byte, mark.byte) => {
            Err(fault::without_line(mark, "control characters are not allowed"))
        }
        Some(_) | None => outcome.map(|()| composer.tree),
    }
}

/// Anchor and tag before a node.
struct Properties<'a> {
    /// Where they begin, or the node where there are none.
    start: Mark,
    anchor: Option<&'a str>,
    tag: Tag,
    /// Whether there is any of them.
    is_present: bool,
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Flow,
    Block,
    /// A key or value of a block mapping, where a list need not be indented.
    BlockValue,
}

struct Composer<'a> {
    scanner: Scanner<'a>,
    tree: Tree<'a>,
    anchors: OrderedMap<&'a str, NodeId>,
    /// The tag handles of directives, with the place of each one's prefix.
    handles: OrderedMap<&'a str, u32>,
    prefixes: Vec<Cow<'a, str>>,
}

impl<'a> Composer<'a> {
    fn document(&mut self) -> Composed<()> {
        let first = self.scanner.peek()?;
        let is_explicit = match first.kind {
            TokenKind::StreamEnd => return Ok(()),
            TokenKind::VersionDirective(..) | TokenKind::TagDirective(..) | TokenKind::DocumentStart => true,
            _ => false,
        };
        if is_explicit {
            self.directives()?;
            let token = self.scanner.peek()?;
            if !matches!(token.kind, TokenKind::DocumentStart) {
                return Err(fault::parser(
                    Mark::default(),
                    token.start,
                    "did not find expected <document start>",
                ));
            }
            self.scanner.take();
        }
        let token = self.scanner.peek()?;
        let mark = token.start;
        let is_empty = matches!(
            token.kind,
            TokenKind::VersionDirective(..)
                | TokenKind::TagDirective(..)
                | TokenKind::DocumentStart
                | TokenKind::DocumentEnd
                | TokenKind::StreamEnd
        );
        let root = if is_explicit && is_empty { self.empty(mark)? } else { self.node(Position::Block, 0)? };
        self.tree.root = Some(root);
        // The end of the document is certain only with the token behind it.
        let behind = self.scanner.peek()?;
        let is_end = matches!(behind.kind, TokenKind::StreamEnd);
        self.tree.rest = (!is_end).then(|| u32::try_from(behind.start.byte).unwrap_or(u32::MAX));
        Ok(())
    }

    fn directives(&mut self) -> Composed<()> {
        let mut has_version = false;
        loop {
            let token = self.scanner.peek()?;
            let start = token.start;
            let refuse = |message| Err(fault::parser(Mark::default(), start, message));
            match &token.kind {
                TokenKind::VersionDirective(..) if has_version => {
                    return refuse("found duplicate %YAML directive");
                }
                TokenKind::VersionDirective(1, 1) => has_version = true,
                TokenKind::VersionDirective(..) => return refuse("found incompatible YAML document"),
                TokenKind::TagDirective(handle, prefix) => {
                    let (handle, prefix) = (*handle, prefix.clone());
                    let at = u32::try_from(self.prefixes.len()).unwrap_or(u32::MAX);
                    if self.handles.insert(handle, at).is_some() {
                        return refuse("found duplicate %TAG directive");
                    }
                    self.prefixes.push(prefix);
                }
                _ => return Ok(()),
            }
            self.scanner.take();
        }
    }

    fn add(&mut self, kind: Kind<'a>, start: Mark, end: Mark, line: u32) -> Composed<NodeId> {
        let id = NodeId::try_from(self.tree.nodes.len()).unwrap_or(NodeId::MAX);
        if u64::from(id) >= MAX_NODES {
            return Err(fault::limit(start, nodes_text()));
        }
        let byte = |mark: Mark| u32::try_from(mark.byte).unwrap_or(u32::MAX);
        self.tree.nodes.push(Node { kind, start: byte(start), end: byte(end), line });
        Ok(id)
    }

    /// A value that is not written.
    fn empty(&mut self, mark: Mark) -> Composed<NodeId> {
        let kind = Kind::Scalar { text: Cow::Borrowed(""), tag: Tag::None, is_plain: true };
        self.add(kind, mark, mark, mark.line)
    }

    fn node(&mut self, place: Position, depth: usize) -> Composed<NodeId> {
        let token = self.scanner.peek()?;
        if let TokenKind::Alias(name) = token.kind {
            let (start, end) = (token.start, token.end);
            let Some(target) = self.anchors.get(name).copied() else {
                return Err(fault::without_line(start, &format!("unknown anchor '{name}' referenced")));
            };
            self.scanner.take();
            return self.add(Kind::Alias(target, Cow::Borrowed(name)), start, end, start.line);
        }
        let properties = self.properties()?;
        let token = self.scanner.peek()?;
        let (start, end) = (token.start, token.end);
        let kind = match &token.kind {
            TokenKind::BlockEntry if place == Position::BlockValue => Kind::Sequence(Vec::new()),
            TokenKind::Scalar(..) => return self.scalar(&properties),
            TokenKind::FlowSequenceStart => Kind::Sequence(Vec::new()),
            TokenKind::BlockSequenceStart if place != Position::Flow => Kind::Sequence(Vec::new()),
            TokenKind::FlowMappingStart => Kind::Mapping(Vec::new()),
            TokenKind::BlockMappingStart if place != Position::Flow => Kind::Mapping(Vec::new()),
            _ if properties.is_present => {
                let is_plain = properties.tag == Tag::None;
                let kind = Kind::Scalar { text: Cow::Borrowed(""), tag: properties.tag, is_plain };
                let id = self.add(kind, properties.start, properties.start, properties.start.line)?;
                self.name(properties.anchor, id);
                return Ok(id);
            }
            _ => return Err(fault::parser(properties.start, start, "did not find expected node content")),
        };
        if depth >= MAX_DEPTH {
            return Err(fault::limit(start, depth_text()));
        }
        let id = self.add(kind, start, end, properties.start.line)?;
        self.name(properties.anchor, id);
        self.collection(id, start, depth + 1)?;
        Ok(id)
    }

    fn name(&mut self, anchor: Option<&'a str>, id: NodeId) {
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, id);
        }
    }

    /// An anchor and a tag, in any order.
    fn properties(&mut self) -> Composed<Properties<'a>> {
        let start = self.scanner.peek()?.start;
        let mut properties = Properties { start, anchor: None, tag: Tag::None, is_present: false };
        let mut has_tag = false;
        loop {
            let token = self.scanner.peek()?;
            match &token.kind {
                TokenKind::Anchor(name) if properties.anchor.is_none() => properties.anchor = Some(*name),
                TokenKind::Tag(handle, suffix) if !has_tag => {
                    has_tag = true;
                    let (handle, suffix, mark) = (*handle, suffix.clone(), token.start);
                    properties.tag = self.resolve_tag(handle, &suffix, start, mark)?;
                }
                _ => return Ok(properties),
            }
            properties.is_present = true;
            self.scanner.take();
        }
    }

    fn resolve_tag(&self, handle: &str, suffix: &str, start: Mark, mark: Mark) -> Composed<Tag> {
        if handle.is_empty() {
            return Ok(Tag::named("", suffix));
        }
        let known = self.handles.get(handle).and_then(|at| self.prefixes.get(*at as usize));
        match (known, handle) {
            (Some(prefix), _) => Ok(Tag::named(prefix, suffix)),
            (None, "!") => Ok(Tag::named("!", suffix)),
            (None, "!!") => Ok(Tag::named("tag:yaml.org,2002:", suffix)),
            (None, _) => Err(fault::parser(start, mark, "found undefined tag handle")),
        }
    }

    fn scalar(&mut self, properties: &Properties<'a>) -> Composed<NodeId> {
        let Some(Token { kind: TokenKind::Scalar(text, style), start, mut end }) = self.scanner.take() else {
            return self.empty(properties.start);
        };
        let is_plain = style == ScalarStyle::Plain && properties.tag == Tag::None;
        if style == ScalarStyle::Block {
            // The token reaches over the empty lines behind it.
            let source = self.scanner.cursor.slice(start.byte, end.byte);
            end.byte = start.byte + source.trim_end().len();
        }
        let kind = Kind::Scalar { text, tag: properties.tag, is_plain };
        let id = self.add(kind, start, end, properties.start.line)?;
        self.name(properties.anchor, id);
        Ok(id)
    }

    fn collection(&mut self, id: NodeId, start: Mark, depth: usize) -> Composed<()> {
        let end = match self.scanner.peek()?.kind {
            TokenKind::BlockEntry => self.indentless_sequence(id, depth)?,
            TokenKind::BlockSequenceStart => self.block_sequence(id, start, depth)?,
            TokenKind::BlockMappingStart => self.block_mapping(id, start, depth)?,
            TokenKind::FlowSequenceStart => self.flow_sequence(id, start, depth)?,
            _ => self.flow_mapping(id, start, depth)?,
        };
        // A block collection ends with its last value, not where the next token shows that it has ended.
        let last = match self.tree.get(id).map(|node| &node.kind) {
            Some(Kind::Sequence(items)) => items.last().copied(),
            Some(Kind::Mapping(pairs)) => pairs.last().map(|(_, value)| *value),
            Some(Kind::Scalar { .. } | Kind::Alias(..)) | None => None,
        };
        let last_end = last.and_then(|id| self.tree.get(id)).map_or(0, |node| node.end);
        if let Some(node) = self.tree.nodes.get_mut(id as usize) {
            let end = end.map_or(last_end, |mark| u32::try_from(mark.byte).unwrap_or(u32::MAX));
            node.end = end.max(node.start);
        }
        Ok(())
    }

    fn push_item(&mut self, id: NodeId, item: NodeId) {
        if let Some(Node { kind: Kind::Sequence(items), .. }) = self.tree.nodes.get_mut(id as usize) {
            items.push(item);
        }
    }

    fn push_pair(&mut self, id: NodeId, key: NodeId, value: NodeId) {
        if let Some(Node { kind: Kind::Mapping(pairs), .. }) = self.tree.nodes.get_mut(id as usize) {
            pairs.push((key, value));
        }
    }

    fn block_sequence(&mut self, id: NodeId, start: Mark, depth: usize) -> Composed<Option<Mark>> {
        self.scanner.take();
        loop {
            let token = self.scanner.peek()?;
            let (at, mark) = (token.start, token.end);
            match token.kind {
                TokenKind::BlockEntry => {}
                TokenKind::BlockEnd => {
                    self.scanner.take();
                    return Ok(None);
                }
                _ => return Err(fault::parser(start, at, "did not find expected '-' indicator")),
            }
            self.scanner.take();
            let item = match self.scanner.peek()?.kind {
                TokenKind::BlockEntry | TokenKind::BlockEnd => self.empty(mark)?,
                _ => self.node(Position::Block, depth)?,
            };
            self.push_item(id, item);
        }
    }

    /// A list that stands at the column of the key above it.
    fn indentless_sequence(&mut self, id: NodeId, depth: usize) -> Composed<Option<Mark>> {
        loop {
            let token = self.scanner.peek()?;
            let mark = token.end;
            if !matches!(token.kind, TokenKind::BlockEntry) {
                return Ok(None);
            }
            self.scanner.take();
            let item = match self.scanner.peek()?.kind {
                TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                    self.empty(mark)?
                }
                _ => self.node(Position::Block, depth)?,
            };
            self.push_item(id, item);
        }
    }

    fn block_mapping(&mut self, id: NodeId, start: Mark, depth: usize) -> Composed<Option<Mark>> {
        self.scanner.take();
        loop {
            let token = self.scanner.peek()?;
            let (at, mark) = (token.start, token.end);
            match token.kind {
                TokenKind::Key => {}
                TokenKind::BlockEnd => {
                    self.scanner.take();
                    return Ok(None);
                }
                _ => return Err(fault::parser(start, at, "did not find expected key")),
            }
            self.scanner.take();
            let key = self.block_mapping_node(mark, depth)?;
            let token = self.scanner.peek()?;
            let (at, mark) = (token.start, token.end);
            let value = if matches!(token.kind, TokenKind::Value) {
                self.scanner.take();
                self.block_mapping_node(mark, depth)?
            } else {
                self.empty(at)?
            };
            self.push_pair(id, key, value);
        }
    }

    /// A key or a value of a block mapping; `mark` is where it is if it is empty.
    fn block_mapping_node(&mut self, mark: Mark, depth: usize) -> Composed<NodeId> {
        match self.scanner.peek()?.kind {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => self.empty(mark),
            _ => self.node(Position::BlockValue, depth),
        }
    }

    fn flow_sequence(&mut self, id: NodeId, start: Mark, depth: usize) -> Composed<Option<Mark>> {
        self.scanner.take();
        let mut is_first = true;
        loop {
            let mut token = self.scanner.peek()?;
            if !is_first && !matches!(token.kind, TokenKind::FlowSequenceEnd) {
                if !matches!(token.kind, TokenKind::FlowEntry) {
                    return Err(fault::parser(start, token.start, "did not find expected ',' or ']'"));
                }
                self.scanner.take();
                token = self.scanner.peek()?;
            }
            is_first = false;
            let (at, end) = (token.start, token.end);
            let item = match token.kind {
                TokenKind::FlowSequenceEnd => {
                    self.scanner.take();
                    return Ok(Some(end));
                }
                TokenKind::Key => self.single_pair(at, depth)?,
                _ => self.node(Position::Flow, depth)?,
            };
            self.push_item(id, item);
        }
    }

    /// A map of one pair that stands without braces in a flow sequence.
    fn single_pair(&mut self, start: Mark, depth: usize) -> Composed<NodeId> {
        if depth >= MAX_DEPTH {
            return Err(fault::limit(start, depth_text()));
        }
        self.scanner.take();
        let id = self.add(Kind::Mapping(Vec::new()), start, start, start.line)?;
        let token = self.scanner.peek()?;
        let mark = token.end;
        let key = match token.kind {
            // Go: the token is eaten here, so that a map without a key swallows what follows.
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                self.scanner.take();
                self.empty(mark)?
            }
            _ => self.node(Position::Flow, depth + 1)?,
        };
        let value = self.flow_value(depth + 1, |kind| {
            matches!(kind, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd)
        })?;
        self.push_pair(id, key, value);
        let end = self.tree.get(value).map_or(0, |node| node.end);
        if let Some(node) = self.tree.nodes.get_mut(id as usize) {
            node.end = end.max(node.start);
        }
        Ok(id)
    }

    /// The value behind a key of a flow collection; `is_end` recognizes the tokens that leave it empty.
    fn flow_value(&mut self, depth: usize, is_end: impl Fn(&TokenKind<'a>) -> bool) -> Composed<NodeId> {
        let token = self.scanner.peek()?;
        let mut mark = token.start;
        if matches!(token.kind, TokenKind::Value) {
            self.scanner.take();
            let token = self.scanner.peek()?;
            if !is_end(&token.kind) {
                return self.node(Position::Flow, depth);
            }
            mark = token.start;
        }
        self.empty(mark)
    }

    fn flow_mapping(&mut self, id: NodeId, start: Mark, depth: usize) -> Composed<Option<Mark>> {
        self.scanner.take();
        let is_end = |kind: &TokenKind<'a>| matches!(kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd);
        let mut is_first = true;
        loop {
            let mut token = self.scanner.peek()?;
            if !is_first && !matches!(token.kind, TokenKind::FlowMappingEnd) {
                if !matches!(token.kind, TokenKind::FlowEntry) {
                    return Err(fault::parser(start, token.start, "did not find expected ',' or '}'"));
                }
                self.scanner.take();
                token = self.scanner.peek()?;
            }
            is_first = false;
            let end = token.end;
            let (key, value) = match token.kind {
                TokenKind::FlowMappingEnd => {
                    self.scanner.take();
                    return Ok(Some(end));
                }
                TokenKind::Key => {
                    self.scanner.take();
                    let token = self.scanner.peek()?;
                    let mark = token.start;
                    let is_empty = is_end(&token.kind) || matches!(token.kind, TokenKind::Value);
                    let key = if is_empty { self.empty(mark)? } else { self.node(Position::Flow, depth)? };
                    (key, self.flow_value(depth, is_end)?)
                }
                _ => {
                    let key = self.node(Position::Flow, depth)?;
                    let mark = self.scanner.peek()?.start;
                    (key, self.empty(mark)?)
                }
            };
            self.push_pair(id, key, value);
        }
    }
}
