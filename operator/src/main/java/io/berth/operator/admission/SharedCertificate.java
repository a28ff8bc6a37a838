package io.berth.operator.admission;

import io.berth.serving.tls.CertificateAuthority;
import io.berth.serving.tls.CertificateState;
import io.berth.serving.tls.RenewalPlan;
import io.berth.serving.tls.RenewalRules;
import io.berth.serving.tls.UnreadableCertificateException;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The webhook's certificates in the Secret that all replicas share. Any replica performs a step
 * that is due; the Secret's resource version ensures that only one of them succeeds.
 */
final class SharedCertificate {

  static final String SECRET = "berth-webhook-certificate";

  private static final Logger LOG = LoggerFactory.getLogger(SharedCertificate.class);
  private static final int STEPS_AT_ONCE = 8;

  private final KubernetesClient client;
  private final String namespace;
  private final RenewalRules rules;
  private final InstantSource clock;
  private final Supplier<String> published;
  private final CertificateAuthority maker = new CertificateAuthority(new SecureRandom());

  /**
   * @param published returns the CA bundle of the current webhook configurations, in PEM
   */
  SharedCertificate(
      KubernetesClient client,
      String namespace,
      RenewalRules rules,
      InstantSource clock,
      Supplier<String> published) {
    this.published = published;
    this.client = client;
    this.namespace = namespace;
    this.rules = rules;
    this.clock = clock;
  }

  /**
   * Returns the certificates to serve now, after performing all steps that are due.
   *
   * @throws KubernetesClientException when the API server rejects a read or a write of the Secret
   */
  CertificateState current() {
    for (int step = 0; step < STEPS_AT_ONCE; step++) {
      Instant now = clock.instant();
      Secret secret = client.secrets().inNamespace(namespace).withName(SECRET).get();
      if (secret == null) {
        write(null, CertificateState.begin(maker, rules, now, published.get()), "there is none");
        continue;
      }
      CertificateState state;
      try {
        state = CertificateState.decode(secret.getData() == null ? Map.of() : secret.getData());
      } catch (UnreadableCertificateException e) {
        write(secret, CertificateState.begin(maker, rules, now, published.get()), e.getMessage());
        continue;
      }
      RenewalPlan plan = state.plan(now, rules);
      switch (plan) {
        case RenewalPlan.Wait _ -> {
          return state;
        }
        case RenewalPlan.LeaveToOthers _ -> {
          return state;
        }
        case RenewalPlan.Begin(String reason) -> carryOut(secret, state, plan, reason, now);
        case RenewalPlan.IntroduceAuthority(String reason) ->
            carryOut(secret, state, plan, reason, now);
        case RenewalPlan.PromoteAuthority(String reason) ->
            carryOut(secret, state, plan, reason, now);
        case RenewalPlan.RenewServer(String reason) -> carryOut(secret, state, plan, reason, now);
        case RenewalPlan.ForgetEnded(String reason) -> carryOut(secret, state, plan, reason, now);
      }
    }
    throw new KubernetesClientException(
        "Secret %s/%s keeps changing: is another program writing it?".formatted(namespace, SECRET));
  }

  private void carryOut(
      Secret secret, CertificateState state, RenewalPlan plan, String reason, Instant now) {
    write(
        secret,
        state.carryOut(plan, maker, rules, now),
        plan.getClass().getSimpleName() + ": " + reason);
  }

  private void write(@Nullable Secret before, CertificateState state, String reason) {
    try {
      if (before == null) {
        client
            .resource(
                new SecretBuilder()
                    .withNewMetadata()
                    .withNamespace(namespace)
                    .withName(SECRET)
                    .addToLabels("app.kubernetes.io/name", "berth")
                    .endMetadata()
                    .withType("kubernetes.io/tls")
                    .withData(state.encode())
                    .build())
            .create();
      } else {
        client.resource(new SecretBuilder(before).withData(state.encode()).build()).update();
      }
      LOG.info("Webhook certificate written to Secret {}/{}: {}", namespace, SECRET, reason);
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
      LOG.debug("Another replica wrote the certificate first");
    }
  }
}
