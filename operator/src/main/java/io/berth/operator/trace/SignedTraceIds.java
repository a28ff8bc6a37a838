package io.berth.operator.trace;

import io.opentelemetry.sdk.trace.IdGenerator;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Trace IDs that only replicas of Berth can create: eight random bytes, followed by eight bytes of
 * an HMAC over them with a secret that the replicas share.
 *
 * <p>Any user who may create or update a pod can write a traceparent annotation on it. The leader
 * joins a trace only if its ID is signed, so that the sampling ratio, and not the pods' authors,
 * decides which pods are traced.
 */
final class SignedTraceIds implements IdGenerator {

  /** The purpose that is passed to {@link io.berth.serving.tls.CertificateState#sharedSecret}. */
  static final String PURPOSE = "berth trace ids";

  private static final HexFormat HEX = HexFormat.of();
  private static final int HALF = 8;
  private static final IdGenerator RANDOM = IdGenerator.random();

  private final Supplier<byte[]> secret;

  /**
   * @param secret returns the current secret of the replicas; it changes with their certificate
   */
  SignedTraceIds(Supplier<byte[]> secret) {
    this.secret = secret;
  }

  @Override
  public String generateSpanId() {
    return RANDOM.generateSpanId();
  }

  @Override
  public String generateTraceId() {
    String random = RANDOM.generateTraceId().substring(0, 2 * HALF);
    return random + signature(random);
  }

  /** Returns whether a trace ID of 32 hex digits was created by a replica with the same secret. */
  boolean isSigned(String traceId) {
    String random = traceId.substring(0, 2 * HALF);
    return traceId.equals(random + signature(random));
  }

  private String signature(String random) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.get(), "HmacSHA256"));
      return HEX.formatHex(Arrays.copyOf(mac.doFinal(HEX.parseHex(random)), HALF));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has HmacSHA256", e);
    }
  }
}
