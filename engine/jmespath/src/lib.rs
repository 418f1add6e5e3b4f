//! jmespath
