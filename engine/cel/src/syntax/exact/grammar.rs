//! The grammar as data: rules, their alternatives, and what each part is called (`parser/gen/CEL.g4`).
//!
//! Rules whose first part is the rule itself stand as the original's tool rewrites them: the first operand, then a repetition
//! whose alternatives say how strongly their operator binds.

use super::kinds::KindSet;
use crate::syntax::token::Kind;

/// The rules, in the order of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Rule {
    Start,
    Expr,
    Or,
    And,
    Relation,
    Calc,
    Unary,
    Member,
    Primary,
    ExprList,
    ListInit,
    FieldInits,
    OptField,
    MapInits,
    EscapeIdent,
    OptExpr,
    Literal,
}

impl Rule {
    /// Whether the rule repeats with itself as the first part.
    pub(super) fn repeats(self) -> bool {
        matches!(self, Rule::Relation | Rule::Calc | Rule::Member)
    }
}

/// What a node of the parse tree is: its rule, or the alternative of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    OneMember,
    Not,
    Negate,
    OnePrimary,
    Select,
    MemberCall,
    Index,
    Ident,
    GlobalCall,
    Nested,
    CreateList,
    CreateMap,
    CreateMessage,
    Constant,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    True,
    False,
    Null,
    Name,
}

/// What a part is to its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Nothing,
    First,
    Second,
    Third,
    Operator,
    Optional,
    Name,
    Dot,
    Key,
    Colon,
    Value,
}

/// How the original chooses between alternatives: by the next token, or by as many as it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choose {
    ByOne,
    ByMany,
}

/// One element of a rule.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Token(KindSet, Part),
    Rule(Rule, u8, Part),
    /// The operator that follows binds this strongly.
    Binds(u8),
    Optional(&'static [Item]),
    Choice(&'static [Alternative], Choose),
    Star(&'static [Alternative], Choose),
    Plus(&'static [Item], Choose),
}

/// One alternative, and what the node becomes with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alternative {
    pub(super) form: Form,
    pub(super) items: &'static [Item],
}

const fn token(kind: Kind, part: Part) -> Item {
    Item::Token(KindSet::of(&[kind]), part)
}

const fn sign(kind: Kind) -> Item {
    token(kind, Part::Nothing)
}

const fn rule(rule: Rule, part: Part) -> Item {
    Item::Rule(rule, 0, part)
}

const fn is(form: Form, items: &'static [Item]) -> Alternative {
    Alternative { form, items }
}

const fn more(items: &'static [Item]) -> Alternative {
    Alternative { form: Form::Plain, items }
}

const RELATIONS: KindSet = KindSet::of(&[
    Kind::Less,
    Kind::LessEquals,
    Kind::GreaterEquals,
    Kind::Greater,
    Kind::Equals,
    Kind::NotEquals,
    Kind::In,
]);
const PRODUCTS: KindSet = KindSet::of(&[Kind::Star, Kind::Slash, Kind::Percent]);
const SUMS: KindSet = KindSet::of(&[Kind::Plus, Kind::Minus]);

const OPTIONAL_MARK: Item = Item::Optional(&[token(Kind::Question, Part::Optional)]);
const ARGUMENTS: Item = Item::Optional(&[rule(Rule::ExprList, Part::Value)]);
const LAST_COMMA: Item = Item::Optional(&[sign(Kind::Comma)]);
const LEADING_DOT: Item = Item::Optional(&[token(Kind::Dot, Part::Dot)]);
const MINUS: Item = Item::Optional(&[token(Kind::Minus, Part::Dot)]);
const NAME: Item = token(Kind::Ident, Part::Name);

/// What each rule is made of, in the order of the grammar.
pub(super) const RULES: [(Rule, &[Item]); 17] = [
    (Rule::Start, &[rule(Rule::Expr, Part::First), sign(Kind::End)]),
    (
        Rule::Expr,
        &[
            rule(Rule::Or, Part::First),
            Item::Optional(&[
                token(Kind::Question, Part::Operator),
                rule(Rule::Or, Part::Second),
                sign(Kind::Colon),
                rule(Rule::Expr, Part::Third),
            ]),
        ],
    ),
    (
        Rule::Or,
        &[
            rule(Rule::And, Part::First),
            Item::Star(
                &[more(&[token(Kind::Or, Part::Operator), rule(Rule::And, Part::Second)])],
                Choose::ByOne,
            ),
        ],
    ),
    (
        Rule::And,
        &[
            rule(Rule::Relation, Part::First),
            Item::Star(
                &[more(&[token(Kind::And, Part::Operator), rule(Rule::Relation, Part::Second)])],
                Choose::ByOne,
            ),
        ],
    ),
    (Rule::Relation, &[rule(Rule::Calc, Part::First), Item::Star(RELATION, Choose::ByMany)]),
    (Rule::Calc, &[rule(Rule::Unary, Part::First), Item::Star(CALC, Choose::ByMany)]),
    (Rule::Unary, &[Item::Choice(UNARY, Choose::ByMany)]),
    (Rule::Member, &[rule(Rule::Primary, Part::First), Item::Star(MEMBER, Choose::ByMany)]),
    (Rule::Primary, &[Item::Choice(PRIMARY, Choose::ByMany)]),
    (
        Rule::ExprList,
        &[
            rule(Rule::Expr, Part::Value),
            Item::Star(&[more(&[sign(Kind::Comma), rule(Rule::Expr, Part::Value)])], Choose::ByOne),
        ],
    ),
    (
        Rule::ListInit,
        &[
            rule(Rule::OptExpr, Part::Value),
            Item::Star(&[more(&[sign(Kind::Comma), rule(Rule::OptExpr, Part::Value)])], Choose::ByMany),
        ],
    ),
    (
        Rule::FieldInits,
        &[
            rule(Rule::OptField, Part::Key),
            token(Kind::Colon, Part::Colon),
            rule(Rule::Expr, Part::Value),
            Item::Star(&[more(MORE_FIELDS)], Choose::ByMany),
        ],
    ),
    (Rule::OptField, &[OPTIONAL_MARK, rule(Rule::EscapeIdent, Part::Name)]),
    (
        Rule::MapInits,
        &[
            rule(Rule::OptExpr, Part::Key),
            token(Kind::Colon, Part::Colon),
            rule(Rule::Expr, Part::Value),
            Item::Star(&[more(MORE_ENTRIES)], Choose::ByMany),
        ],
    ),
    (
        Rule::EscapeIdent,
        &[Item::Choice(
            &[is(Form::Name, &[NAME]), is(Form::Name, &[token(Kind::Quoted, Part::Name)])],
            Choose::ByOne,
        )],
    ),
    (Rule::OptExpr, &[OPTIONAL_MARK, rule(Rule::Expr, Part::First)]),
    (Rule::Literal, &[Item::Choice(LITERAL, Choose::ByMany)]),
];

const MORE_FIELDS: &[Item] = &[
    sign(Kind::Comma),
    rule(Rule::OptField, Part::Key),
    token(Kind::Colon, Part::Colon),
    rule(Rule::Expr, Part::Value),
];

const MORE_ENTRIES: &[Item] = &[
    sign(Kind::Comma),
    rule(Rule::OptExpr, Part::Key),
    token(Kind::Colon, Part::Colon),
    rule(Rule::Expr, Part::Value),
];

const RELATION: &[Alternative] = &[more(&[
    Item::Binds(1),
    Item::Token(RELATIONS, Part::Operator),
    Item::Rule(Rule::Relation, 2, Part::Third),
])];

const CALC: &[Alternative] = &[
    more(&[Item::Binds(2), Item::Token(PRODUCTS, Part::Operator), Item::Rule(Rule::Calc, 3, Part::Third)]),
    more(&[Item::Binds(1), Item::Token(SUMS, Part::Operator), Item::Rule(Rule::Calc, 2, Part::Third)]),
];

const UNARY: &[Alternative] = &[
    is(Form::OneMember, &[rule(Rule::Member, Part::First)]),
    is(
        Form::Not,
        &[Item::Plus(&[token(Kind::Bang, Part::Operator)], Choose::ByOne), rule(Rule::Member, Part::First)],
    ),
    is(
        Form::Negate,
        &[Item::Plus(&[token(Kind::Minus, Part::Operator)], Choose::ByMany), rule(Rule::Member, Part::First)],
    ),
];

const MEMBER: &[Alternative] = &[
    is(
        Form::Select,
        &[
            Item::Binds(3),
            token(Kind::Dot, Part::Operator),
            OPTIONAL_MARK,
            rule(Rule::EscapeIdent, Part::Name),
        ],
    ),
    is(
        Form::MemberCall,
        &[
            Item::Binds(2),
            token(Kind::Dot, Part::Dot),
            NAME,
            token(Kind::LeftParen, Part::Operator),
            ARGUMENTS,
            sign(Kind::RightParen),
        ],
    ),
    is(
        Form::Index,
        &[
            Item::Binds(1),
            token(Kind::LeftBracket, Part::Operator),
            OPTIONAL_MARK,
            rule(Rule::Expr, Part::Second),
            sign(Kind::RightBracket),
        ],
    ),
];

const PRIMARY: &[Alternative] = &[
    is(Form::Ident, &[LEADING_DOT, NAME]),
    is(
        Form::GlobalCall,
        &[LEADING_DOT, NAME, token(Kind::LeftParen, Part::Operator), ARGUMENTS, sign(Kind::RightParen)],
    ),
    is(Form::Nested, &[sign(Kind::LeftParen), rule(Rule::Expr, Part::First), sign(Kind::RightParen)]),
    is(
        Form::CreateList,
        &[
            token(Kind::LeftBracket, Part::Operator),
            Item::Optional(&[rule(Rule::ListInit, Part::Value)]),
            LAST_COMMA,
            sign(Kind::RightBracket),
        ],
    ),
    is(
        Form::CreateMap,
        &[
            token(Kind::LeftBrace, Part::Operator),
            Item::Optional(&[rule(Rule::MapInits, Part::Value)]),
            LAST_COMMA,
            sign(Kind::RightBrace),
        ],
    ),
    is(
        Form::CreateMessage,
        &[
            LEADING_DOT,
            NAME,
            Item::Star(&[more(&[sign(Kind::Dot), NAME])], Choose::ByOne),
            token(Kind::LeftBrace, Part::Operator),
            Item::Optional(&[rule(Rule::FieldInits, Part::Value)]),
            LAST_COMMA,
            sign(Kind::RightBrace),
        ],
    ),
    is(Form::Constant, &[rule(Rule::Literal, Part::First)]),
];

const LITERAL: &[Alternative] = &[
    is(Form::Int, &[MINUS, token(Kind::Int, Part::Name)]),
    is(Form::Uint, &[token(Kind::Uint, Part::Name)]),
    is(Form::Double, &[MINUS, token(Kind::Float, Part::Name)]),
    is(Form::String, &[token(Kind::String, Part::Name)]),
    is(Form::Bytes, &[token(Kind::Bytes, Part::Name)]),
    is(Form::True, &[token(Kind::True, Part::Name)]),
    is(Form::False, &[token(Kind::False, Part::Name)]),
    is(Form::Null, &[token(Kind::Null, Part::Name)]),
];
