//! Prints what the library makes.

fn main() {
    std::panic::set_hook(Box::new(|info| println!("panic: {}", info.payload_as_str().unwrap_or("?"))));
    print!("{}", work::report());
}
