package io.berth.operator.trace;

import io.opentelemetry.sdk.trace.IdGenerator;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Trace ids that only replicas of Berth can make: eight random bytes, and eight that follow from
 * them by a secret that the replicas share.
 *
 * <p>Anybody who may create or update a pod can write a traceparent on it. The leader joins a trace
 * only if its id is signed, so that the sampling ratio decides which pods are traced, and not the
 * authors of pods.
 */
final class SignedTraceIds implements IdGenerator {

  /** The purpose of {@link io.berth.webhook.tls.CertificateState#sharedSecret}. */
  static final String PURPOSE = "berth trace ids";

  private static final HexFormat HEX = HexFormat.of();
  private static final int HALF = 8;
  private static final IdGenerator RANDOM = IdGenerator.random();

  private final Supplier<byte[]> secret;

  /**
   * @param secret the secret of the replicas now; it changes with their certificate
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

  /** Returns whether a replica with the same secret has made a trace id of 32 hex digits. */
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
