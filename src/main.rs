//! The program; see the library's `app`.

fn main() -> std::process::ExitCode {
    stackhand::app::main()
}
