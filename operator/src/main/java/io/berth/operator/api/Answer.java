package io.berth.operator.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.berth.operator.protobuf.StatusMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A response of the API server, or of another service. */
public final class Answer {

  private static final Logger LOG = LoggerFactory.getLogger(Answer.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final int NOT_SENT = -1;

  private final int code;
  private final Duration retryAfter;
  private final byte[] body;
  private final boolean timedOut;

  /**
   * @param code the HTTP status
   * @param retryAfter the delay that the server requests; zero if it requests none
   */
  public Answer(int code, Duration retryAfter, byte[] body) {
    this(code, retryAfter, body, false);
  }

  private Answer(int code, Duration retryAfter, byte[] body, boolean timedOut) {
    this.code = code;
    this.retryAfter = retryAfter;
    this.body = body;
    this.timedOut = timedOut;
  }

  /** Returns the answer to a request that got no response. */
  public static Answer none(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    byte[] body = ("no answer: " + reason(cause)).getBytes(StandardCharsets.UTF_8);
    return new Answer(0, Duration.ZERO, body, cause instanceof TimeoutException);
  }

  /**
   * Returns the message of a failure with that of its root cause: only that one says, for example,
   * why a TLS connection could not be created.
   */
  private static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    String why = root.getMessage() == null ? root.toString() : root.getMessage();
    return message.contains(why) ? message : message + ": " + why;
  }

  /** Returns the answer to a request that was not sent because its condition no longer held. */
  public static Answer notSent() {
    byte[] body = "not sent: this replica is no longer the leader".getBytes(StandardCharsets.UTF_8);
    return new Answer(NOT_SENT, Duration.ZERO, body);
  }

  /** The HTTP status; 0 if there was no response, negative if the request was not sent. */
  public int code() {
    return code;
  }

  /**
   * Returns the delay that the server requests in a Retry-After header; zero if it requests none.
   */
  public Duration retryAfter() {
    return retryAfter;
  }

  public boolean ok() {
    return code >= 200 && code < 300;
  }

  /**
   * Returns whether the request was not sent because its condition no longer held ({@link
   * ApiCalls#onlyWhile}): the request had no effect, and the caller must not act on the outcome.
   */
  public boolean wasNotSent() {
    return code == NOT_SENT;
  }

  /**
   * Returns whether the server rejected the request as one too many (429), without executing it.
   */
  public boolean throttled() {
    return code == 429;
  }

  /**
   * Returns whether the request may or may not have been executed: the response is a server error,
   * or there was none.
   */
  public boolean ambiguous() {
    return code >= 500 || code == 0;
  }

  /**
   * Returns whether an admission webhook that could not be called or did not answer in time has
   * failed the request: the server itself is well, and has not executed it.
   */
  public boolean isFailureOfAdmission() {
    return code >= 500 && message().contains("failed calling webhook");
  }

  /** Returns whether the request timed out. */
  public boolean timedOut() {
    return timedOut;
  }

  /** The body as JSON; a missing node if it is not JSON. */
  public JsonNode json() {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      LOG.debug("answer {} is not JSON", code, e);
      return MissingNode.getInstance();
    }
  }

  /** The server's message, for logs and events. */
  public String message() {
    if (StatusMessage.isSealed(body)) {
      return sealedMessage();
    }
    JsonNode message = json().path("message");
    if (message.isTextual()) {
      return message.asText();
    }
    String text = new String(body, StandardCharsets.UTF_8).strip();
    if (code <= 0) {
      return text;
    }
    return text.isEmpty()
        ? "HTTP " + code
        : "HTTP " + code + ": " + text.substring(0, Math.min(200, text.length()));
  }

  /** Returns the message of a Status in protobuf; only its code is shown if it cannot be read. */
  private String sealedMessage() {
    String message = "";
    try {
      message = StatusMessage.readSealed(body).message();
    } catch (IOException e) {
      LOG.debug("answer {} is not a Status", code, e);
    }
    return message.isEmpty() ? "HTTP " + code : message;
  }

  /** Returns the value of a Retry-After header in seconds; zero for any other form. */
  static Duration pause(@Nullable String header) {
    boolean seconds =
        header != null
            && !header.isEmpty()
            && header.length() <= 6
            && header.chars().allMatch(Character::isDigit);
    return seconds ? Duration.ofSeconds(Long.parseLong(header)) : Duration.ZERO;
  }
}
