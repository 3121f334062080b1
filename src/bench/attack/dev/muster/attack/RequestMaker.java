package dev.muster.attack;

import dev.muster.attack.FuzzedOperation.Parameter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Creates hostile requests for the operations of an API description, from a seed and an index. */
final class RequestMaker {

  /**
   * The objects on the server that requests name.
   *
   * @param workspaces those that must stay, the first of them the one whose token is used
   * @param expendable those that may be removed
   * @param others ids of anything else, such as rows
   */
  record Fixture(List<UUID> workspaces, List<UUID> expendable, List<String> others) {}

  /** An id of the description's examples, which is replaced by an existing one. */
  private static final String ID_OF_EXAMPLES = "6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10";

  /** Parts of paths and queries whose answer may be late. */
  private static final List<String> WAITING = List.of("wait", "/a2a", "/stream", "/ws", "/sweep");

  private static final JsonMapper JSON = JsonMapper.shared();

  private final long seed;
  private final List<FuzzedOperation> operations;
  private final List<Probe> probes;
  private final Map<String, String> tokens;
  private final List<String> identities;
  private final Fixture fixture;

  /** {@code tokens} are of the identities; the empty one has none. */
  RequestMaker(long seed, JsonNode description, Map<String, String> tokens, Fixture fixture) {
    this.seed = seed;
    this.operations = FuzzedOperation.read(description);
    this.probes = probes(operations, new Random(seed));
    this.tokens = tokens;
    this.identities = tokens.keySet().stream().sorted().toList();
    this.fixture = fixture;
  }

  /** One bad value in one place of an otherwise valid body. */
  private record Probe(FuzzedOperation operation, JsonNode example, int place, String value) {}

  private static List<Probe> probes(List<FuzzedOperation> operations, RandomGenerator random) {
    List<Probe> probes = new ArrayList<>();
    for (FuzzedOperation operation : operations) {
      for (JsonNode example : operation.bodies()) {
        int places = Mutations.countPlaces(example, operation.fields());
        for (int place = 0; place < places; place++) {
          for (String value : HostileValues.PROBES) {
            probes.add(new Probe(operation, example, place, value));
          }
        }
      }
    }
    Collections.shuffle(probes, random);
    return probes;
  }

  FuzzedRequest make(int index) {
    return index % 2 == 0 || probes.isEmpty()
        ? makeAtRandom(index)
        : makeProbe(index, probes.get(index / 2 % probes.size()));
  }

  /** Uses an identity whose body is read. */
  private FuzzedRequest makeProbe(int index, Probe probe) {
    RandomGenerator random = new Random(seed * 1_000_003 + index);
    FuzzedOperation operation = probe.operation();
    String identity = random.nextInt(3) == 0 ? "admin" : "workspace";
    String path = operation.path().replaceAll("\\{(id|workspaceId)}", knownId(random));
    path = path.replaceAll("\\{[^}]*}", Mutations.oneOf(fixture.others(), random));
    JsonNode example = ofFixture(probe.example(), random);
    byte[] body = Mutations.probe(example, operation.fields(), probe.place(), probe.value());
    byte[] bytes =
        bytes(index, operation.method(), path, tokens.get(identity), List.of(), body, true, random);
    return new FuzzedRequest(index, identity, operation, bytes, mayWait(path), true, true);
  }

  private String knownId(RandomGenerator random) {
    return Mutations.oneOf(fixture.workspaces(), random).toString();
  }

  private static boolean mayWait(String target) {
    return WAITING.stream().anyMatch(target::contains);
  }

  private FuzzedRequest makeAtRandom(int index) {
    RandomGenerator random = new Random(seed * 1_000_003 + index);
    FuzzedOperation operation = Mutations.oneOf(operations, random);
    String identity = identities.get(Math.min(random.nextInt(6), identities.size() - 1));
    String method =
        random.nextInt(20) == 0
            ? Mutations.oneOf(HostileValues.METHODS, random)
            : operation.method();
    boolean removes = method.equals("DELETE") && operation.path().equals("/workspaces/{id}");
    String target = path(operation.path(), removes, random) + query(operation, random);
    List<String> headers = headers(operation, random);
    byte @Nullable [] body = body(operation, random);
    boolean framed = random.nextInt(25) > 0;
    if (!framed) {
      headers.add(Mutations.oneOf(HostileValues.FRAMINGS, random));
    }
    byte[] bytes =
        bytes(index, method, target, tokens.get(identity), headers, body, framed, random);
    boolean answerHasBody = !method.equals("HEAD");
    return new FuzzedRequest(
        index, identity, operation, bytes, !framed || mayWait(target), framed, answerHasBody);
  }

  /** Removals name only expendable workspaces. */
  private String path(String template, boolean removes, RandomGenerator random) {
    StringBuilder path = new StringBuilder();
    for (String segment : template.substring(1).split("/", -1)) {
      path.append('/');
      if (!segment.startsWith("{")) {
        path.append(random.nextInt(100) == 0 ? Mutations.text(random) : segment);
      } else if (segment.equals("{id}") || segment.equals("{workspaceId}")) {
        path.append(id(removes, random));
      } else {
        path.append(
            random.nextInt(3) == 0
                ? Mutations.text(random)
                : Mutations.oneOf(fixture.others(), random));
      }
    }
    return path.toString();
  }

  private String id(boolean removes, RandomGenerator random) {
    int kind = random.nextInt(10);
    if (kind == 0) {
      return Mutations.text(random);
    }
    if (kind == 1) {
      return new UUID(random.nextLong(), random.nextLong()).toString();
    }
    List<UUID> known = removes || kind == 2 ? fixture.expendable() : fixture.workspaces();
    return Mutations.oneOf(known, random).toString();
  }

  private static String query(FuzzedOperation operation, RandomGenerator random) {
    List<String> pairs = new ArrayList<>();
    for (Parameter parameter : operation.parameters()) {
      if (parameter.in().equals("query") && random.nextBoolean()) {
        pairs.add(parameter.name() + "=" + Mutations.text(random));
      }
    }
    if (random.nextInt(10) == 0) {
      pairs.add(Mutations.text(random) + "=" + Mutations.text(random));
    }
    return pairs.isEmpty() ? "" : "?" + String.join("&", pairs);
  }

  private List<String> headers(FuzzedOperation operation, RandomGenerator random) {
    List<String> headers = new ArrayList<>();
    for (Parameter parameter : operation.parameters()) {
      if (parameter.in().equals("header") && random.nextBoolean()) {
        headers.add(
            parameter.name()
                + ": "
                + (random.nextBoolean() ? id(false, random) : Mutations.headerValue(random)));
      }
    }
    if (random.nextInt(4) == 0) {
      headers.add(Mutations.header(random));
    }
    return headers;
  }

  private byte @Nullable [] body(FuzzedOperation operation, RandomGenerator random) {
    boolean hasOne = !operation.bodies().isEmpty();
    if (random.nextInt(100) < (hasOne ? 3 : 90)) {
      return null;
    }
    JsonNode example = hasOne ? Mutations.oneOf(operation.bodies(), random) : null;
    return Mutations.body(
        example == null ? null : ofFixture(example, random), operation.fields(), random);
  }

  /** Replaces ids by existing ones, and addresses by addresses of loopback. */
  private JsonNode ofFixture(JsonNode example, RandomGenerator random) {
    String json =
        example
            .toString()
            .replace(ID_OF_EXAMPLES, fixture.workspaces().getFirst().toString())
            .replaceAll("\"https?://[^\"]*\"", "\"http://127.0.0.1:9/a2a\"")
            .replaceAll(
                "\"[0-9a-f]{8}-[0-9a-f-]{27}\"",
                "\"" + Mutations.oneOf(fixture.workspaces(), random) + "\"");
    return JSON.readTree(json);
  }

  private static byte[] bytes(
      int index,
      String method,
      String target,
      @Nullable String token,
      List<String> headers,
      byte @Nullable [] body,
      boolean framed,
      RandomGenerator random) {
    StringBuilder head =
        new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n");
    head.append("X-Request-ID: fuzz-").append(index).append("\r\n");
    if (token != null && !token.isEmpty()) {
      head.append("Authorization: Bearer ").append(token).append("\r\n");
    }
    headers.forEach(header -> head.append(header).append("\r\n"));
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    if (body == null) {
      whole.writeBytes(ascii(head + "\r\n"));
    } else if (framed && random.nextInt(5) == 0) {
      head.append("Transfer-Encoding: chunked\r\n\r\n");
      whole.writeBytes(ascii(head.toString()));
      if (body.length > 0) {
        whole.writeBytes(ascii(Integer.toHexString(body.length) + "\r\n"));
        whole.writeBytes(body);
        whole.writeBytes(ascii("\r\n"));
      }
      whole.writeBytes(ascii("0\r\n\r\n"));
    } else {
      head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
      whole.writeBytes(ascii(head.toString()));
      whole.writeBytes(body);
    }
    return whole.toByteArray();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
