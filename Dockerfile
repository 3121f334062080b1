# The server alone: it wants a DATABASE_URL, since the embedded PostgreSQL is left out.
FROM maven:3.9.11-eclipse-temurin-25 AS build
WORKDIR /build
COPY pom.xml .
COPY src src
COPY db db
RUN --mount=type=cache,target=/root/.m2 mvn -B -ntp -q -DskipTests package \
 && cp target/muster-*.jar muster.jar \
 && java -Djarmode=tools -jar muster.jar extract --layers --destination layers \
 && rm layers/dependencies/lib/embedded-postgres-binaries-*.jar

FROM eclipse-temurin:25.0.3_9-jre
WORKDIR /muster
# What changes least comes first.
COPY --from=build /build/layers/dependencies/ ./
COPY --from=build /build/layers/spring-boot-loader/ ./
COPY --from=build /build/layers/snapshot-dependencies/ ./
COPY --from=build /build/layers/application/ ./

USER 10001
EXPOSE 8080

# The image has no curl; bash opens the connection itself.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/${SERVER_PORT:-8080} && printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '\"ok\"' <&3"]

# MaxRAMPercentage: of the container's memory, where the JVM would take a quarter. Out of memory, a fresh start is best.
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=60", "-XX:+ExitOnOutOfMemoryError", "-jar", "muster.jar"]
