# syntax=docker/dockerfile:1
# The example shop as a small image: the program, the C library, and a user without rights.
#   docker build -t shop .
#   docker run -p 127.0.0.1:8000:8000 -v shop-data:/data shop
#   docker run -v shop-data:/data shop seed        # 400 products, while it is empty
# A project of `crud init` has a Dockerfile of this kind.

FROM rust:1-slim-bookworm AS build
WORKDIR /build
COPY . .
# What is compiled stays for the next build.
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/build/target \
    CARGO_PROFILE_RELEASE_STRIP=true cargo build --locked --release -p shop \
    && cp target/release/shop /shop && mkdir /empty

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /shop /usr/local/bin/shop
COPY --from=build --chown=nonroot:nonroot /empty /data
WORKDIR /data
ENV DATABASE_URL=sqlite:///data/shop.db BIND=0.0.0.0:8000
EXPOSE 8000
ENTRYPOINT ["/usr/local/bin/shop"]
