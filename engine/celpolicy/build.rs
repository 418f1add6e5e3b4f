//! Packs the table of published types: in: `data/types.txt`; out: `types.bin`, as deflate packs it.

use miniz_oxide::deflate::compress_to_vec;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    const BEST: u8 = 10;
    println!("cargo::rerun-if-changed=data/types.txt");
    let packed = compress_to_vec(&fs::read("data/types.txt")?, BEST);
    let folder = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&folder).join("types.bin"), packed)
}
