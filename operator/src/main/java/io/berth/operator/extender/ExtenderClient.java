package io.berth.operator.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.policy.ExtenderTls;
import io.berth.engine.extender.Extender;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ServiceCalls;
import io.berth.operator.api.Timing;
import io.berth.operator.extender.ExtenderException.Reason;
import io.berth.operator.record.BerthMetrics;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Sends requests to one extender, and records metrics about them. */
final class ExtenderClient implements AutoCloseable {

  private final Extender extender;
  private final Timing timing;
  private final ServiceCalls.Opener services;
  private final BerthMetrics metrics;
  private final BooleanSupplier mayBeSent;

  private @Nullable ServiceCalls calls; // guarded by this
  private boolean closed; // guarded by this

  /**
   * @param mayBeSent evaluated right before a request is written
   */
  ExtenderClient(
      Extender extender,
      Timing timing,
      ServiceCalls.Opener services,
      BerthMetrics metrics,
      BooleanSupplier mayBeSent) {
    this.extender = extender;
    this.timing = timing;
    this.services = services;
    this.metrics = metrics;
    this.mayBeSent = mayBeSent;
  }

  /** A parser for responses. */
  interface Reading<T> {
    T read(JsonNode json) throws ExtenderException;
  }

  Extender extender() {
    return extender;
  }

  /**
   * Calls the extender and waits for the response, so call it on a thread of its own.
   *
   * @throws ExtenderException when there is no usable response
   */
  <T> T ask(Verb verb, ObjectNode request, Reading<T> reading) throws ExtenderException {
    long began = timing.nanoTime();
    try {
      T read = reading.read(answer(verb, request));
      metrics.extender(extender.urlPrefix(), verb.label(), Optional.empty(), since(began));
      return read;
    } catch (ExtenderException e) {
      metrics.extender(
          extender.urlPrefix(), verb.label(), Optional.of(e.reason().label()), since(began));
      throw e;
    }
  }

  private Duration since(long began) {
    return Duration.ofNanos(timing.nanoTime() - began);
  }

  private JsonNode answer(Verb verb, ObjectNode request) throws ExtenderException {
    URI uri = URI.create(extender.url(verb.of(extender).orElseThrow()));
    Answer answer = timing.await(calls().post(uri, request, extender.timeout(), mayBeSent));
    if (answer.timedOut()) {
      throw new ExtenderException(
          Reason.TIMEOUT, "did not answer within " + extender.timeout().toMillis() + " ms");
    }
    if (answer.code() <= 0) {
      throw new ExtenderException(
          Reason.UNREACHABLE, "cannot be reached: " + Replies.cut(answer.message()));
    }
    if (answer.code() != HttpURLConnection.HTTP_OK) {
      throw new ExtenderException(Reason.STATUS, "answered with HTTP " + answer.code());
    }
    JsonNode json = answer.json();
    if (json.isMissingNode()) {
      throw Replies.nonsense("the body is not JSON");
    }
    return json;
  }

  private synchronized ServiceCalls calls() throws ExtenderException {
    if (closed) {
      throw new ExtenderException(Reason.UNREACHABLE, "is no longer called");
    }
    ServiceCalls open = calls;
    if (open == null) {
      try {
        open = services.open(URI.create(extender.urlPrefix()), trust());
      } catch (KubernetesClientException e) {
        throw new ExtenderException(
            Reason.UNREACHABLE,
            "cannot be reached: " + Replies.cut(String.valueOf(e.getMessage())));
      }
      calls = open;
    }
    return open;
  }

  private ServiceCalls.Trust trust() {
    ExtenderTls tls = extender.tls().orElse(null);
    return tls == null
        ? ServiceCalls.Trust.DEFAULT
        : new ServiceCalls.Trust(
            tls.insecure(),
            tls.serverName() == null ? "" : tls.serverName(),
            tls.caFile(),
            tls.caData(),
            tls.certFile(),
            tls.certData(),
            tls.keyFile(),
            tls.keyData(),
            tls.secretName());
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (calls != null) {
      calls.close();
      calls = null;
    }
  }
}
