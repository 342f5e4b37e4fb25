//! Authentication: who sends a request, and how they prove it.

#[cfg(feature = "auth")]
mod bearer;
#[cfg(feature = "auth")]
mod gate;
mod principal;

#[cfg(feature = "auth")]
pub use gate::Auth;
pub use principal::Principal;
