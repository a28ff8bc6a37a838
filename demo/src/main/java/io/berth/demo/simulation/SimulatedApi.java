package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.demo.tenants.ObjectKey;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.sandbox.protobuf.ProtobufBodies;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The requests of one replica to a {@link SimulatedServer}, with delays and faults. After the
 * replica has crashed, none of its tasks runs and no answer arrives; requests that were sent before
 * are still executed.
 */
final class SimulatedApi implements ApiCalls {
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SHORTEST_FAILURE = Duration.ofMillis(600);
  private static final Duration LONGEST_FAILURE = Duration.ofMillis(950);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final VirtualTime time;
  private final SimulatedThreads threads;
  private final SimulatedServer server;
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
  }

  /**
   * @param threads the threads of the replica
   * @param alive returns whether the replica has not crashed
   */
  SimulatedApi(
      VirtualTime time,
      SimulatedThreads threads,
      SimulatedServer server,
      Faults faults,
      BooleanSupplier alive,
      Observer observer) {
    this(time, threads, server, faults, alive, () -> true, observer);
  }

  private SimulatedApi(
      VirtualTime time,
      SimulatedThreads threads,
      SimulatedServer server,
      Faults faults,
      BooleanSupplier alive,
      BooleanSupplier mayBeSent,
      Observer observer) {
    this.time = time;
    this.threads = threads;
    this.server = server;
    this.faults = faults;
    this.alive = alive;
    this.mayBeSent = mayBeSent;
    this.observer = observer;
  }

  @Override
  public ApiCalls onlyWhile(BooleanSupplier condition) {
    return new SimulatedApi(time, threads, server, faults, alive, condition, observer);
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
    send("POST " + path, () -> server.create(path, copy), then);
  }

  @Override
  public void bind(String path, byte[] binding, Consumer<Answer> then) {
    JsonNode body = ProtobufBodies.decode(binding);
    ApiPath parts = ApiPath.of(path);
    String namespace = parts.namespace();
    observer.binding(ObjectKey.pod(namespace, parts.name()));
    String line = "POST " + path + " " + body.path("target").path("name").asText();
    switch (faults.webhook(namespace)) {
      case WELL, DENIES_EVICTIONS -> send(line, () -> server.bind(path, body), then);
      case DENIES_BINDINGS ->
          deliver(
              line, faults.latency(time.random()), () -> SimulatedServer.denied("not bound"), then);
      case SLOW -> deliver(line, Duration.ofSeconds(3), () -> server.bind(path, body), then);
      case REFUSES_CONNECTIONS ->
          deliver(
              line,
              faults.latency(time.random()),
              () -> SimulatedServer.webhookFailed("refused"),
              then);
      case FAILS_LATE ->
          deliver(
              line,
              time.between(SHORTEST_FAILURE, LONGEST_FAILURE),
              () -> SimulatedServer.webhookFailed("an error on the server"),
              then);
      case HANGS ->
          deliver(
              line, ANSWER_TIMEOUT, () -> SimulatedServer.webhookFailed("deadline exceeded"), then);
    }
  }

  @Override
  public void get(String path, Consumer<Answer> then) {
    send("GET " + path, () -> server.read(path), then);
  }

  @Override
  public void patch(String path, String contentType, JsonNode patch, Consumer<Answer> then) {
    JsonNode copy = patch.deepCopy();
    send("PATCH " + path, () -> server.patch(path, copy), then);
  }

  @Override
  public void delete(String path, JsonNode options, Consumer<Answer> then) {
    JsonNode copy = options.deepCopy();
    send("DELETE " + path, () -> server.delete(path, copy), then);
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
                return SimulatedServer.status(500, "etcdserver: request timed out");
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
}
