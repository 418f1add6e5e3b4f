//! Which servers Kyverno calls for no policy: its own machine, and those that know the credentials of a cloud's machines.
//!
//! In: the URL of a call. Out: Go's words for why it is not made; nothing where a server would be asked.
//! `https://[64:ff9b::7f00:1]/` gives `Get "https://[64:ff9b::7f00:1]/": connection to [64:ff9b::7f00:1]:443 blocked: IP
//! 64:ff9b::7f00:1 falls in blocked range 127.0.0.0/8`.
//!
//! Mirrors: pkg/engine/apicall/executor.go, pkg/toggle/toggle.go, extensions/cel/libs/http of kyverno/sdk, Go's `net/http`.

use super::address::Address;
use super::prefix::Prefix;
use super::url::Url;
use crate::go_text::quote;

/// Names of hosts, in small letters and without a dot at the end.
const HOSTS: &[&str] = &["metadata.google.internal"];

/// Networks; the first that holds an address is named.
const NETWORKS: &[&str] =
    &["169.254.169.254/32", "169.254.169.253/32", "fd00:ec2::254/128", "127.0.0.0/8", "::1/128"];

/// The server of a call, by its URL.
#[derive(Debug)]
pub struct Server<'u>(Url<'u>);

impl<'u> Server<'u> {
    /// Reads the URL of a call, and refuses it where its host may not be called by this name.
    // Kyverno: egressPolicy.validateURL.
    pub fn parse(text: &'u str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| format!("invalid URL: {error}"))?;
        let host = url.host_name();
        if HOSTS.contains(&host.trim_end_matches('.').to_lowercase().as_str()) {
            let (text, host) = (quote(text), quote(&host));
            return Err(format!("URL {text} is blocked: hostname {host} is on the blocklist"));
        }
        Ok(Server(url))
    }

    /// Refuses a connection that would not be made, for a method such as `GET`.
    // Go: Client.Do and Transport.roundTrip. Kyverno: egressPolicy.dialContext.
    pub fn connect(&self, method: &str) -> Result<(), String> {
        let Server(url) = self;
        let why = match (url.scheme(), url.host_text().as_str()) {
            ("http" | "https", "") => Some("http: no Host in request URL".to_owned()),
            ("http" | "https", _) => self.blocked(),
            (scheme, _) => Some(format!("unsupported protocol scheme {}", quote(scheme))),
        };
        let (first, rest) = method.split_at_checked(1).unwrap_or((method, ""));
        let shown = || format!("{first}{} {}", rest.to_ascii_lowercase(), quote(&url.shown_by_client()));
        why.map_or(Ok(()), |why| Err(format!("{}: {why}", shown())))
    }

    /// Why the host's address is not connected to; a name would have to be looked up.
    fn blocked(&self) -> Option<String> {
        let Server(url) = self;
        let host = url.host_name();
        let address = Address::parse(&host).ok().filter(|_| !host.contains('%'))?.unmapped();
        let networks = || NETWORKS.iter().filter_map(|text| Prefix::parse(text).ok());
        let candidates = [Some(address), address.embedded_v4()];
        let network = candidates
            .into_iter()
            .flatten()
            .find_map(|candidate| networks().find(|network| network.contains(candidate)))?;
        let port = match (url.port().as_str(), url.scheme()) {
            ("", "https") => "443".to_owned(),
            ("", _) => "80".to_owned(),
            (port, _) => port.to_owned(),
        };
        let place = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        Some(format!("connection to {place} blocked: IP {address} falls in blocked range {network}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Server;

    /// Why a call is not made, whichever step refuses it.
    fn refused(method: &str, url: &str) -> String {
        Server::parse(url).and_then(|server| server.connect(method)).err().unwrap_or_default()
    }

    #[test]
    fn addresses_are_blocked_in_every_spelling() {
        let blocked = [
            ("127.1.2.3", "127.1.2.3", "127.0.0.0/8"),
            ("169.254.169.254", "169.254.169.254", "169.254.169.254/32"),
            ("[::1]", "::1", "::1/128"),
            ("[fd00:ec2:0::254]", "fd00:ec2::254", "fd00:ec2::254/128"),
            ("[::ffff:169.254.169.253]", "169.254.169.253", "169.254.169.253/32"),
            ("[::127.0.0.1]", "::7f00:1", "127.0.0.0/8"),
            ("[64:ff9b::a9fe:a9fe]", "64:ff9b::a9fe:a9fe", "169.254.169.254/32"),
            ("[2002:7f00:1::5]", "2002:7f00:1::5", "127.0.0.0/8"),
        ];
        for (host, address, network) in blocked {
            let words = format!(
                "Get \"http://{host}/a\": connection to {host}:80 blocked: IP {address} falls in blocked range {network}"
            );
            assert_eq!(refused("GET", &format!("http://{host}/a")), words);
        }
        let open =
            ["128.0.0.1", "169.254.169.252", "[64:ff9b:1::7f00:1]", "[2001:7f00:1::]", "[::2]", "localhost"];
        for host in open {
            assert_eq!(refused("GET", &format!("http://{host}/a")), "");
        }
    }

    #[test]
    fn names_are_blocked_with_dots_and_capitals() {
        for url in ["https://METADATA.google.internal../x", "http://metadata.google.internal:80"] {
            let host = url.trim_start_matches("https://").trim_start_matches("http://");
            let host = host.split(['/', ':']).next().unwrap_or_default();
            let words = format!("URL \"{url}\" is blocked: hostname \"{host}\" is on the blocklist");
            assert_eq!(refused("POST", url), words);
        }
        assert_eq!(refused("GET", "http://x.metadata.google.internal"), "");
    }

    #[test]
    fn urls_that_no_client_calls_are_refused() {
        let of = [
            ("http://a b/", "invalid URL: parse \"http://a b/\": invalid character \" \" in host name"),
            ("/a", "Post \"/a\": unsupported protocol scheme \"\""),
            ("FTP://me:secret@h/a?b#c", "Post \"ftp://me:***@h/a?b#c\": unsupported protocol scheme \"ftp\""),
            ("http:///a", "Post \"http:///a\": http: no Host in request URL"),
            (
                "https://u%41@127.0.0.1:?q",
                "Post \"https://uA@127.0.0.1?q\": connection to 127.0.0.1:443 blocked: IP 127.0.0.1 falls in blocked range 127.0.0.0/8",
            ),
            (
                "https://127.0.0.1:1",
                "Post \"https://127.0.0.1:1\": connection to 127.0.0.1:1 blocked: IP 127.0.0.1 falls in blocked range 127.0.0.0/8",
            ),
        ];
        for (url, words) in of {
            assert_eq!(refused("POST", url), words);
        }
    }
}
