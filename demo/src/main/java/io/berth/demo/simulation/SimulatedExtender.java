package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.demo.tenants.LicenseExtender;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ServiceCalls;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The extender that the tenants' policies name, with its faults. */
final class SimulatedExtender implements ServiceCalls {
  private static final Duration LONGEST_ANSWER = Duration.ofMillis(300);

  private final VirtualTime time;
  private final Faults faults;
  private final Consumer<String> log;

  /**
   * @param log receives a line for each answer
   */
  SimulatedExtender(VirtualTime time, Faults faults, Consumer<String> log) {
    this.time = time;
    this.faults = faults;
    this.log = log;
  }

  @Override
  public CompletableFuture<Answer> post(
      URI uri, JsonNode body, Duration limit, BooleanSupplier mayBeSent) {
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    if (!mayBeSent.getAsBoolean()) {
      answered.complete(Answer.notSent());
      return answered;
    }
    String verb = uri.getPath().substring(uri.getPath().lastIndexOf('/') + 1);
    Duration usual = time.between(Duration.ZERO, LONGEST_ANSWER);
    switch (faults.extender()) {
      case WELL -> later(usual, verb, answered, () -> answer(verb, body));
      case HANGS ->
          later(limit, verb, answered, () -> Answer.none(new TimeoutException("no answer")));
      case REFUSES_CONNECTIONS ->
          later(usual, verb, answered, () -> Answer.none(new IOException("connection refused")));
      case FAILS -> later(usual, verb, answered, () -> new Answer(500, Duration.ZERO, new byte[0]));
      case TALKS_NONSENSE -> later(usual, verb, answered, () -> ok(LicenseExtender.nonsense()));
    }
    return answered;
  }

  private void later(
      Duration pause, String verb, CompletableFuture<Answer> answered, Supplier<Answer> answer) {
    time.later(
        pause,
        () -> {
          Answer given = answer.get();
          log.accept("extender " + verb + " " + given.code());
          answered.complete(given);
        });
  }

  private static Answer answer(String verb, JsonNode request) {
    return LicenseExtender.answer(verb, request)
        .map(SimulatedExtender::ok)
        .orElseGet(() -> new Answer(404, Duration.ZERO, new byte[0]));
  }

  private static Answer ok(JsonNode body) {
    return new Answer(200, Duration.ZERO, body.toString().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    // there is no connection
  }
}
