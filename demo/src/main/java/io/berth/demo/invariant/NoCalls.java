package io.berth.demo.invariant;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** Calls to no API server: no request is sent, none is answered, and no task runs. */
final class NoCalls implements ApiCalls {
  private final Random random = new Random(0);

  @Override
  public ApiCalls onlyWhile(BooleanSupplier condition) {
    return this;
  }

  @Override
  public void post(String path, JsonNode body, Consumer<Answer> then) {
    // nobody answers
  }

  @Override
  public void bind(String path, byte[] binding, Consumer<Answer> then) {
    // nobody answers
  }

  @Override
  public void get(String path, Consumer<Answer> then) {
    // nobody answers
  }

  @Override
  public void patch(String path, String contentType, JsonNode patch, Consumer<Answer> then) {
    // nobody answers
  }

  @Override
  public void delete(String path, JsonNode options, Consumer<Answer> then) {
    // nobody answers
  }

  @Override
  public long nanoTime() {
    return 0;
  }

  @Override
  public void later(Duration pause, Runnable task) {
    // time does not pass
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public void fork(String name, Runnable task) {
    // time does not pass
  }

  @Override
  public <T> T await(CompletableFuture<T> result) {
    throw new IllegalStateException("no request is answered");
  }
}
