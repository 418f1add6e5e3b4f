//! Files in any order, distinguished by what their documents are.
//!
//! In: paths. Out: a [`SieveInput`]: policies, exceptions, the admission's configuration, and everything else as resources.
//! Of a file with several kinds each role gets the whole text with the other documents blanked out, so that lines stay.

use crate::args::SieveFiles;
use crate::files::{self, Opened, Unreadable};
use engine::yaml::{Document, Options, Source, SourceId, parse};
use engine_lenses::wire::{Input, SieveInput, Text};

/// What a document is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Policy,
    Exception,
    Configuration,
    Values,
    UserInfo,
    Resource,
}

const ROLES: [Role; 6] =
    [Role::Policy, Role::Exception, Role::Configuration, Role::Values, Role::UserInfo, Role::Resource];

/// Reads the files.
pub(super) fn read(files: &SieveFiles) -> Result<SieveInput, Unreadable> {
    let mut read = SieveInput::default();
    read.input.host = files.by.named().map(|host| host.as_str().to_owned());
    for path in &opened(&files.files)? {
        let text = files::read(path)?;
        sort(&text.name, &text.text, &mut read);
    }
    for path in &opened(&files.resource)? {
        let text = files::read(path)?;
        read.input.resources.push(Text { name: text.name, text: text.text });
    }
    let whole = |path: &String| files::read(path).map(|text| Text { name: text.name, text: text.text });
    read.admission_config.extend(files.admission_config.iter().map(whole).collect::<Result<Vec<_>, _>>()?);
    read.input.values.extend(files.values_file.iter().map(whole).collect::<Result<Vec<_>, _>>()?);
    read.input.user_info.extend(files.userinfo.iter().map(whole).collect::<Result<Vec<_>, _>>()?);
    Ok(read)
}

/// The files of these paths; none where one of them stands for no file, as a width that leaves out a file is not a width.
fn opened(paths: &[String]) -> Result<Vec<String>, Unreadable> {
    let Opened { paths, lost } = files::opened(paths);
    lost.into_iter().next().map_or(Ok(paths), Err)
}

/// Puts a text where its documents belong.
fn sort(name: &str, text: &str, read: &mut SieveInput) {
    let source = Source { id: SourceId(0), name: name.to_owned(), text: text.into() };
    let parsed = parse(&source, &Options::default());
    let roles: Vec<Role> = parsed.documents.iter().map(role).collect();
    for role in ROLES {
        // A text that cannot be read is a resource, where its fault is said.
        let is_here = roles.contains(&role) || (roles.is_empty() && role == Role::Resource);
        if !is_here {
            continue;
        }
        let mut kept = text.to_owned();
        if roles.iter().any(|other| *other != role) {
            for (document, _) in parsed.documents.iter().zip(&roles).filter(|(_, other)| **other != role) {
                blank(&mut kept, document);
            }
        }
        let text = Text { name: name.to_owned(), text: kept };
        let Input { policies, exceptions, resources, values, user_info, .. } = &mut read.input;
        match role {
            Role::Policy => policies.push(text),
            Role::Exception => exceptions.push(text),
            Role::Configuration => read.admission_config.push(text),
            Role::Values => values.push(text),
            Role::UserInfo => user_info.push(text),
            Role::Resource => resources.push(text),
        }
    }
}

fn role(document: &Document) -> Role {
    let (version, kind) = (document.value.find_str(&["apiVersion"]), document.value.find_str(&["kind"]));
    match (version.split('/').next().unwrap_or(""), kind) {
        (_, "PolicyException") => Role::Exception,
        ("kyverno.io" | "policies.kyverno.io", "GlobalContextEntry") => Role::Resource,
        ("kyverno.io" | "policies.kyverno.io", _)
        | (_, "ValidatingAdmissionPolicy" | "ValidatingAdmissionPolicyBinding") => Role::Policy,
        (_, "AdmissionConfiguration" | "PodSecurityConfiguration") => Role::Configuration,
        ("cli.kyverno.io", "Values") => Role::Values,
        ("cli.kyverno.io", "UserInfo") => Role::UserInfo,
        _ => Role::Resource,
    }
}

/// Blanks in the place of a document; its lines stay.
fn blank(text: &mut String, document: &Document) {
    let (from, to) = (document.span.start as usize, document.span.end as usize);
    let Some(body) = text.get(from..to) else { return };
    // Bytes for bytes, so that the places of what follows stay.
    let blank: String = body.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    text.replace_range(from..to, &blank);
}
