//! `frazil-cc` under tools that keep what it has compiled, or have it compiled elsewhere: ccache, sccache, distcc and
//! icecc. None of them knows it, and none need be told: compiling one file depends on nothing but its inputs, so that
//! the same bytes come out.

use frazil_test_support::{Folder, run};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SOURCE: &str = "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", NUMBER); return 0; }\n";

/// A folder that other users may read, with a source and `frazil-cc`.
struct Place {
    folder: Folder,
    /// The search path, on which `frazil-cc` comes first.
    path: String,
}

impl Place {
    fn new(name: &str) -> Place {
        let folder = Folder::new(name);
        let own = folder.path("");
        fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).expect("the folder is ours");
        folder.program("frazil-cc", env!("CARGO_BIN_EXE_frazil-cc"));
        folder.write("main.c", SOURCE);
        let path = format!(
            "{}:{}:/usr/sbin",
            own.display(),
            std::env::var("PATH").unwrap_or_default()
        );
        Place { folder, path }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("PATH", &self.path).current_dir(self.folder.path(""));
        command
    }

    /// The object of the source with a number, which `frazil-cc` makes by itself or called by others.
    fn object(&self, callers: &[&str], environment: &[(&str, &str)], number: u32) -> Vec<u8> {
        let object = self.folder.path(&format!("{number}.o"));
        let words: Vec<&str> = callers.iter().copied().chain(["frazil-cc"]).collect();
        let mut command = self.command(words[0]);
        command.args(&words[1..]).envs(environment.iter().copied());
        command.args(["-O2", "-c", "main.c", &format!("-DNUMBER={number}"), "-o"]);
        run(command.arg(&object));
        let bytes = fs::read(&object).expect("it was made");
        fs::remove_file(&object).expect("it is ours");
        bytes
    }

    /// The folder for a tool's own files.
    fn state(&self, name: &str) -> PathBuf {
        let path = self.folder.path(name);
        fs::create_dir_all(&path).expect("writable");
        path
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are text")
}

/// How often the same is compiled until it comes from the cache.
const MOST_TRIES: u32 = 5;

#[test]
fn ccache_gives_back_what_was_compiled() {
    let place = Place::new("ccache");
    let state = place.state("cache");
    let environment = [("CCACHE_DIR", text(&state))];
    let plain = place.object(&[], &[], 7);
    let told = || {
        let told = run(place.command("ccache").envs(environment).arg("--print-stats"));
        String::from_utf8_lossy(&told).into_owned()
    };
    let count = |told: &str, name: &str| {
        let line = told
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('\t'));
        line.map_or(0, |count| count.parse::<u32>().expect("a number"))
    };
    // A source that is a moment old is preprocessed first, to be sure of it.
    let hits = |told: &str| count(told, "direct_cache_hit") + count(told, "preprocessed_cache_hit");
    // A compiler or source as old as the cache itself may be looked at once more.
    let mut tries = 0;
    while hits(&told()) == 0 {
        assert!(tries < MOST_TRIES, "{}", told());
        assert!(place.object(&["ccache"], &environment, 7) == plain);
        tries += 1;
    }
    assert!(tries > 1 && count(&told(), "cache_miss") > 0, "{}", told());
}

#[test]
fn sccache_gives_back_what_was_compiled() {
    let place = Place::new("sccache");
    let state = place.state("cache");
    let port = free_port().to_string();
    let environment = [("SCCACHE_DIR", text(&state)), ("SCCACHE_SERVER_PORT", port.as_str())];
    let plain = place.object(&[], &[], 7);
    let told = |question: &str| {
        let told = run(place.command("sccache").envs(environment).arg(question));
        String::from_utf8_lossy(&told).into_owned()
    };
    let hits = |told: &str| {
        let line = told.lines().find_map(|line| line.strip_prefix("Cache hits  "));
        line.and_then(|line| line.trim().parse::<u32>().ok())
    };
    // What was compiled is written to the cache after the object is there.
    let patience = Instant::now() + Duration::from_secs(20);
    while hits(&told("--show-stats")).is_none_or(|hits| hits == 0) {
        assert!(Instant::now() < patience, "{}", told("--stop-server"));
        assert!(place.object(&["sccache"], &environment, 7) == plain);
    }
    told("--stop-server");
}

#[test]
fn icecc_compiles_here_what_it_does_not_know() {
    let place = Place::new("icecc");
    assert!(place.object(&["icecc"], &[], 7) == place.object(&[], &[], 7));
}

/// A server of distcc, which ends with its owner.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start(place: &Place) -> Server {
        let port = free_port();
        let log = fs::File::create(place.folder.path(&format!("{port}.log"))).expect("writable");
        let mut command = place.command("distccd");
        // Root must be somebody else to be let compile.
        command.args([
            "--daemon",
            "--no-detach",
            "--enable-tcp-insecure",
            "--user",
            "nobody",
            "--jobs",
            "2",
        ]);
        command.args([
            "--listen",
            "127.0.0.1",
            "--allow",
            "127.0.0.1",
            "--log-stderr",
            "--port",
        ]);
        command.arg(port.to_string()).stderr(log).stdout(Stdio::null());
        let process = command.spawn().expect("distccd starts");
        let patience = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < patience, "distccd does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        Server { process, port }
    }

    /// How many files it has compiled.
    fn compiled(&self, place: &Place) -> usize {
        let log = fs::read_to_string(place.folder.path(&format!("{}.log", self.port))).expect("readable");
        log.matches("COMPILE_OK").count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends the processes that it has started when it is asked to end, and not when it is killed.
        let asked = Command::new("kill").arg(self.process.id().to_string()).status();
        drop(asked.and_then(|_| self.process.wait()));
    }
}

/// What `frazil split` makes is sent, too, if its files have names that distcc sends.
#[test]
fn distcc_sends_bitcode_with_the_name_of_a_preprocessed_source() {
    let place = Place::new("distcc-bitcode");
    let state = place.state("distcc");
    let server = Server::start(&place);
    let hosts = format!("127.0.0.1:{}", server.port);
    run(place
        .command("clang-22")
        .args(["-O2", "-c", "-emit-llvm", "-DNUMBER=7", "main.c", "-o", "main.i"]));
    let object = |callers: &[&str]| {
        let words: Vec<&str> = callers.iter().copied().chain(["frazil-cc"]).collect();
        let mut command = place.command(words[0]);
        command
            .env("DISTCC_DIR", &state)
            .env("DISTCC_HOSTS", &hosts)
            .env("DISTCC_FALLBACK", "0");
        run(command.args(&words[1..]).args(["-O2", "-c", "main.i", "-o", "main.o"]));
        fs::read(place.folder.path("main.o")).expect("it was made")
    };
    assert!(object(&["distcc"]) == object(&[]));
    assert_eq!(server.compiled(&place), 1);
}

#[test]
fn distcc_compiles_on_two_servers_one_of_which_goes_away() {
    let place = Place::new("distcc");
    let state = place.state("distcc");
    let (first, second) = (Server::start(&place), Server::start(&place));
    // One file at a time for each, so that several files need both.
    let hosts = format!("127.0.0.1:{}/1 127.0.0.1:{}/1", first.port, second.port);
    // Nothing is compiled here, whatever happens.
    let environment = [
        ("DISTCC_DIR", text(&state)),
        ("DISTCC_HOSTS", hosts.as_str()),
        ("DISTCC_FALLBACK", "0"),
        ("DISTCC_VERBOSE", "0"),
    ];
    let (place, environment) = (&place, &environment);
    let compile = move |number: u32| {
        let distributed = place.object(&["distcc"], environment, number);
        assert!(place.object(&[], &[], number) == distributed);
    };
    std::thread::scope(|scope| {
        for number in 1..=4 {
            scope.spawn(move || compile(number));
        }
    });
    let by_both = [&first, &second].map(|server| server.compiled(place));
    assert!(by_both.iter().all(|&count| count > 0), "{by_both:?}");
    assert_eq!(by_both.iter().sum::<usize>(), 4);
    drop(first);
    (5..=8).for_each(compile);
    assert_eq!(second.compiled(place), by_both[1] + 4);
}

/// A port that nobody listens at.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("there is a free port");
    listener.local_addr().expect("it is bound").port()
}
