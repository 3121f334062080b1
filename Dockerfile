# A whole Muster, its PostgreSQL included; with a DATABASE_URL it uses yours (docs/operate/install.md, "In containers").
#
# A release takes the folder of its archive instead of what the first stage makes: docker build --build-context build=FOLDER,
# where FOLDER/out is that folder.
FROM maven:3.9.11-eclipse-temurin-25 AS build
RUN apt-get update -q && apt-get install -y -q --no-install-recommends jq unzip
RUN useradd --uid 10001 --create-home builder && mkdir /out && chown builder /out
WORKDIR /build
COPY --chown=builder . .
# PostgreSQL, which the training of the cache starts, does not run as root.
USER builder
RUN --mount=type=cache,target=/home/builder/.m2,uid=10001 src/build/archive --folder /out

FROM debian:13-slim
COPY --from=build /out /opt/muster
# PostgreSQL wants a name for the user that it runs as.
RUN useradd --uid 10001 --home-dir /data --no-create-home muster && mkdir /data && chown 10001:10001 /data
USER 10001
# MaxRAMPercentage: of the container's memory, where the JVM would take a quarter. Out of memory, a fresh start is best.
ENV PATH="/opt/muster/bin:$PATH" MUSTER_HOME=/data SERVER_ADDRESS=0.0.0.0 REGISTRATION=closed
ENV JDK_JAVA_OPTIONS="-XX:MaxRAMPercentage=60 -XX:+ExitOnOutOfMemoryError"
VOLUME /data
EXPOSE 8080
# The image has no curl; bash opens the connection itself.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/${SERVER_PORT:-8080} && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '\"ok\"' <&3"]
ENTRYPOINT ["muster"]
