package io.berth.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * An API server that answers at once on the caller's thread, and keeps what is written to the
 * status of pods. Reads other than that of its version find nothing, and tasks for later wait for
 * {@link #runLater}.
 */
public final class RecordedCalls implements ApiCalls {
  private static final Random RANDOM = new Random(1);

  private final Map<String, JsonNode> statuses = new HashMap<>();
  private final List<Runnable> forLater = new ArrayList<>();
  private int bindingCode = 201;
  private String minor = "";

  /** Answers Bindings with this code from now on. */
  public void answerBindings(int code) {
    bindingCode = code;
  }

  /** Says from now on that this is its minor version; fails if it is empty. */
  public void answerVersion(String minorVersion) {
    minor = minorVersion;
  }

  /** Runs the tasks for later, whatever their time is. */
  public void runLater() {
    List<Runnable> due = List.copyOf(forLater);
    forLater.clear();
    due.forEach(Runnable::run);
  }

  /** Returns what was written to the pod's status last; a missing node if nothing was. */
  public JsonNode statusOf(String pod) {
    return statuses.getOrDefault(pod, MissingNode.getInstance());
  }

  private static Answer answer(int code, String body) {
    return new Answer(code, Duration.ZERO, body.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public ApiCalls onlyWhile(BooleanSupplier condition) {
    return this;
  }

  @Override
  public void post(String path, JsonNode body, Consumer<Answer> then) {
    then.accept(answer(201, "{}"));
  }

  @Override
  public void bind(String path, byte[] binding, Consumer<Answer> then) {
    then.accept(answer(bindingCode, "{\"message\": \"as the test demands\"}"));
  }

  @Override
  public void get(String path, Consumer<Answer> then) {
    then.accept(
        path.equals("/version") && !minor.isEmpty()
            ? answer(200, "{\"major\": \"1\", \"minor\": \"" + minor + "\"}")
            : answer(404, "{}"));
  }

  @Override
  public void patch(String path, String contentType, JsonNode patch, Consumer<Answer> then) {
    String[] parts = path.split("/");
    if (path.contains("/pods/") && path.endsWith("/status")) {
      statuses.merge(
          parts[parts.length - 2],
          patch.path("status"),
          (before, more) -> before.<ObjectNode>deepCopy().setAll((ObjectNode) more));
    }
    then.accept(answer(200, "{}"));
  }

  @Override
  public void delete(String path, JsonNode options, Consumer<Answer> then) {
    then.accept(answer(200, "{}"));
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void later(Duration pause, Runnable task) {
    forLater.add(task);
  }

  @Override
  public RandomGenerator random() {
    return RANDOM;
  }

  @Override
  public void fork(String name, Runnable task) {
    task.run();
  }

  @Override
  public <T> T await(CompletableFuture<T> result) {
    return result.join();
  }
}
