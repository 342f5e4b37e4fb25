//! Measures the compile-time cost of a derived resource: see `COMPILE_COST.md`.

#[cfg(target_os = "linux")]
mod generate;
#[cfg(target_os = "linux")]
mod lines;
#[cfg(target_os = "linux")]
mod measure;
#[cfg(target_os = "linux")]
mod options;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod shape;
#[cfg(target_os = "linux")]
mod source;
#[cfg(target_os = "linux")]
mod subject;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let outcome = options::parse().and_then(|command| match command {
        options::Command::Help => {
            print!("{}", options::USAGE);
            Ok(true)
        }
        options::Command::Run(options) => run::run(&options),
    });
    match outcome {
        Ok(true) => std::process::ExitCode::SUCCESS,
        Ok(false) => std::process::ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("compile-cost needs Linux: it reads the CPU time of ended processes");
    std::process::ExitCode::FAILURE
}
