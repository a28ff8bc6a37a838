package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.Disturbances.Webhook;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.sandbox.protobuf.ProtobufBodies;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one replica to an {@link ApiStore}, with delays and faults. After the replica has
 * crashed, none of its tasks runs and no answer arrives; requests that were sent before are still
 * executed.
 */
final class SimulatedApi implements ApiCalls {
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SHORTEST_FAILURE = Duration.ofMillis(600);
  private static final Duration LONGEST_FAILURE = Duration.ofMillis(950);
  private static final String USAGE = "/apis/metrics.k8s.io/v1beta1/nodes";
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final VirtualTime time;
  private final SimulatedThreads threads;
  private final ApiStore store;
  private final Faults faults;
  private final BooleanSupplier alive;
  private final BooleanSupplier mayBeSent;
  private final Observer observer;

  /** Hears of requests. */
  interface Observer {
    /** Takes a line about a request that was executed, with its answer. */
    void request(String line);

    /** Handles a Binding that is sent. */
    void binding(ObjectKey pod);

    /** Handles the denied deletion of a pod. */
    void deletionDenied(ObjectNode pod);
  }

  /**
   * @param threads the threads of the replica
   * @param alive returns whether the replica has not crashed
   */
  SimulatedApi(
      VirtualTime time,
      SimulatedThreads threads,
      ApiStore store,
      Faults faults,
      BooleanSupplier alive,
      Observer observer) {
    this(time, threads, store, faults, alive, () -> true, observer);
  }

  private SimulatedApi(
      VirtualTime time,
      SimulatedThreads threads,
      ApiStore store,
      Faults faults,
      BooleanSupplier alive,
      BooleanSupplier mayBeSent,
      Observer observer) {
    this.time = time;
    this.threads = threads;
    this.store = store;
    this.faults = faults;
    this.alive = alive;
    this.mayBeSent = mayBeSent;
    this.observer = observer;
  }

  @Override
  public ApiCalls onlyWhile(BooleanSupplier condition) {
    return new SimulatedApi(time, threads, store, faults, alive, condition, observer);
  }

  @Override
  public long nanoTime() {
    return time.nanoTime();
  }

  @Override
  public void later(Duration pause, Runnable task) {
    time.later(pause, () -> ifAlive(task));
  }

  @Override
  public RandomGenerator random() {
    return time.random();
  }

  @Override
  public void fork(String name, Runnable task) {
    threads.fork(task);
  }

  @Override
  public <T> T await(CompletableFuture<T> result) {
    return threads.await(result);
  }

  private void ifAlive(Runnable task) {
    if (alive.getAsBoolean()) {
      task.run();
    }
  }

  @Override
  public void post(String path, JsonNode body, Consumer<Answer> then) {
    JsonNode copy = body.deepCopy();
    send("POST " + path, () -> create(path, copy), then);
  }

  @Override
  public void bind(String path, byte[] binding, Consumer<Answer> then) {
    JsonNode body = ProtobufBodies.decode(binding);
    Path parts = Path.of(path);
    String namespace = parts.namespace();
    observer.binding(ObjectKey.pod(namespace, parts.name()));
    String line = "POST " + path + " " + body.path("target").path("name").asText();
    switch (faults.webhook(namespace)) {
      case WELL, DENIES_EVICTIONS -> send(line, () -> bind(path, body), then);
      case DENIES_BINDINGS ->
          deliver(line, faults.latency(time.random()), () -> denied("not bound"), then);
      case SLOW -> deliver(line, Duration.ofSeconds(3), () -> bind(path, body), then);
      case REFUSES_CONNECTIONS ->
          deliver(line, faults.latency(time.random()), () -> webhookFailed("refused"), then);
      case FAILS_LATE ->
          deliver(
              line,
              time.between(SHORTEST_FAILURE, LONGEST_FAILURE),
              () -> webhookFailed("an error on the server"),
              then);
      case HANGS -> deliver(line, ANSWER_TIMEOUT, () -> webhookFailed("deadline exceeded"), then);
    }
  }

  @Override
  public void get(String path, Consumer<Answer> then) {
    send("GET " + path, () -> read(path), then);
  }

  @Override
  public void patch(String path, String contentType, JsonNode patch, Consumer<Answer> then) {
    JsonNode copy = patch.deepCopy();
    send("PATCH " + path, () -> patch(path, copy), then);
  }

  @Override
  public void delete(String path, JsonNode options, Consumer<Answer> then) {
    JsonNode copy = options.deepCopy();
    send("DELETE " + path, () -> delete(path, copy), then);
  }

  /** Sends a request, to which what is wrong with the server applies. */
  private void send(String line, Supplier<Answer> request, Consumer<Answer> then) {
    RandomGenerator random = time.random();
    Duration latency = faults.latency(random);
    boolean hit = random.nextBoolean();
    boolean executed = random.nextBoolean();
    switch (hit ? faults.server() : Faults.Server.WELL) {
      case WELL, SLOW -> deliver(line, latency, request, then);
      case THROTTLES ->
          deliver(line, latency, () -> new Answer(429, RETRY_AFTER, new byte[0]), then);
      case FAILS ->
          deliver(
              line,
              latency,
              () -> {
                if (executed) {
                  Answer _ = request.get();
                }
                return status(500, "etcdserver: request timed out");
              },
              then);
      case LOSES_ANSWERS ->
          deliver(
              line,
              ANSWER_TIMEOUT,
              () -> {
                if (executed) {
                  Answer _ = request.get();
                }
                return Answer.none(new TimeoutException("did not answer in time"));
              },
              then);
    }
  }

  /** Executes a request in the middle of its duration, and delivers the answer at its end. */
  private void deliver(
      String line, Duration duration, Supplier<Answer> request, Consumer<Answer> then) {
    if (!mayBeSent.getAsBoolean()) {
      time.later(Duration.ZERO, () -> ifAlive(() -> then.accept(Answer.notSent())));
      return;
    }
    Duration half = duration.dividedBy(2);
    time.later(
        half,
        () -> {
          Answer answer = request.get();
          observer.request(line + " " + answer.code());
          time.later(half, () -> ifAlive(() -> then.accept(answer)));
        });
  }

  private static Answer status(int code, String message) {
    String body = JsonNodeFactory.instance.objectNode().put("message", message).toString();
    return new Answer(code, Duration.ZERO, body.getBytes(StandardCharsets.UTF_8));
  }

  private static Answer denied(String what) {
    return status(403, "admission webhook \"keep\" denied the request: pods are " + what + " here");
  }

  private static Answer webhookFailed(String why) {
    return status(500, "Internal error occurred: failed calling webhook \"slow\": " + why);
  }

  private static Answer ok(int code, JsonNode object) {
    return new Answer(code, Duration.ZERO, object.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static Answer notFound(String path) {
    return status(404, path + " not found");
  }

  /**
   * The parts of a path.
   *
   * @param subresource the part after the name; empty if there is none
   */
  private record Path(String namespace, String resource, String name, String subresource) {
    static Path of(String path) {
      String[] parts = path.split("/");
      int at = 0;
      while (at < parts.length && !parts[at].equals("namespaces")) {
        at++;
      }
      return new Path(
          part(parts, at + 1), part(parts, at + 2), part(parts, at + 3), part(parts, at + 4));
    }

    private static String part(String[] parts, int index) {
      return index < parts.length ? parts[index] : "";
    }

    @Nullable ObjectKey pod() {
      return resource.equals("pods") && !name.isEmpty() ? ObjectKey.pod(namespace, name) : null;
    }
  }

  private Answer create(String path, JsonNode body) {
    if (Path.of(path).resource().equals("events")) {
      return ok(201, body);
    }
    return notFound(path);
  }

  private Answer read(String path) {
    if (path.equals(USAGE)) {
      return ok(200, usage());
    }
    ObjectKey pod = Path.of(path).pod();
    return pod == null
        ? notFound(path)
        : store.find(pod).map(found -> ok(200, found)).orElseGet(() -> notFound(path));
  }

  /** Returns the usage of all nodes, as metrics-server reports it. */
  private ObjectNode usage() {
    ObjectNode list = JsonNodeFactory.instance.objectNode();
    for (ObjectNode node : store.all("Node")) {
      ObjectNode item = list.withArrayProperty("items").addObject();
      item.withObject("/metadata").put("name", ObjectKey.of(node).name());
      item.put("timestamp", time.instant().toString()).put("window", "20s");
      ObjectNode used = item.withObject("/usage");
      used.put("cpu", time.random().nextInt(4_000) + "m");
      used.put("memory", time.random().nextInt(16_000) + "Mi");
    }
    return list;
  }

  private Answer bind(String path, JsonNode binding) {
    ObjectKey key = Path.of(path).pod();
    ObjectNode pod = key == null ? null : store.find(key).orElse(null);
    if (pod == null) {
      return notFound(path);
    }
    if (!hasUid(pod, binding.path("metadata").path("uid"))) {
      return status(409, "the UID in the precondition does not match");
    }
    String bound = KubeObjects.nodeOf(pod);
    if (!bound.isEmpty() || KubeObjects.isTerminating(pod)) {
      return status(409, "pod " + key.name() + " is already assigned to node \"" + bound + "\"");
    }
    store.write(
        key,
        changed -> {
          String node = binding.path("target").path("name").asText();
          changed.withObject("/spec").put("nodeName", node);
          changed.withObject("/status").remove("nominatedNodeName");
          ObjectNode condition = JsonNodeFactory.instance.objectNode();
          condition.put("type", "PodScheduled").put("status", "True");
          condition.putNull("reason").putNull("message");
          KubeObjects.setCondition(changed, condition);
          copy(binding, changed, "annotations");
          copy(binding, changed, "labels");
        });
    return status(201, "");
  }

  private static void copy(JsonNode binding, ObjectNode pod, String field) {
    binding
        .path("metadata")
        .path(field)
        .properties()
        .forEach(
            entry ->
                pod.withObject("/metadata")
                    .withObject("/" + field)
                    .set(entry.getKey(), entry.getValue()));
  }

  private static boolean hasUid(JsonNode object, JsonNode uid) {
    return uid.isMissingNode() || uid.equals(object.path("metadata").path("uid"));
  }

  private Answer patch(String path, JsonNode patch) {
    Path parts = Path.of(path);
    if (parts.resource().equals("events")) {
      return ok(200, patch);
    }
    if (parts.resource().equals("podgroups") && parts.subresource().equals("status")) {
      return patchGroup(parts, path, patch);
    }
    ObjectKey key = parts.pod();
    ObjectNode pod = key == null ? null : store.find(key).orElse(null);
    if (pod == null || !parts.subresource().equals("status")) {
      return notFound(path);
    }
    if (!hasUid(pod, patch.path("metadata").path("uid"))) {
      return status(409, "the UID in the precondition does not match");
    }
    store.write(
        key,
        changed -> {
          JsonNode status = patch.path("status");
          status
              .path("conditions")
              .forEach(condition -> KubeObjects.setCondition(changed, condition));
          JsonNode nominated = status.path("nominatedNodeName");
          if (nominated.isNull()) {
            changed.withObject("/status").remove("nominatedNodeName");
          } else if (nominated.isTextual()) {
            changed.withObject("/status").set("nominatedNodeName", nominated);
          }
        });
    return ok(200, store.find(key).orElseThrow());
  }

  private Answer patchGroup(Path parts, String path, JsonNode patch) {
    ObjectKey key = new ObjectKey("PodGroup", parts.namespace(), parts.name());
    ObjectNode group = store.find(key).orElse(null);
    if (group == null) {
      return notFound(path);
    }
    if (!patch.at("/metadata/resourceVersion").equals(group.at("/metadata/resourceVersion"))) {
      return status(409, "the object has been modified");
    }
    store.write(
        key, changed -> changed.withObject("/status").setAll((ObjectNode) patch.path("status")));
    return ok(200, store.find(key).orElseThrow());
  }

  private Answer delete(String path, JsonNode options) {
    ObjectKey key = Path.of(path).pod();
    ObjectNode pod = key == null ? null : store.find(key).orElse(null);
    if (pod == null) {
      return notFound(path);
    }
    if (!hasUid(pod, options.path("preconditions").path("uid"))) {
      return status(409, "the UID in the precondition does not match");
    }
    if (faults.webhook(key.namespace()) == Webhook.DENIES_EVICTIONS) {
      observer.deletionDenied(pod);
      return denied("not evicted");
    }
    store.delete(key);
    return ok(200, pod);
  }
}
