package io.berth.operator.admission;

import io.berth.crds.Installation;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ConfigMap with the authorities of Berth's certificates. Clients such as Prometheus verify
 * Berth with it, so they need no right to read the Secret, which also contains the keys.
 */
final class PublishedAuthority {

  /** The key in the ConfigMap, as in {@code kube-root-ca.crt}. */
  static final String KEY = "ca.crt";

  private static final Logger LOG = LoggerFactory.getLogger(PublishedAuthority.class);

  private final KubernetesClient client;
  private final String namespace;
  private String lastProblem = "";

  PublishedAuthority(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /**
   * Writes the ConfigMap if it does not contain these authorities. A failure is logged once: it
   * must not keep the certificate from being served, and the next call tries again.
   *
   * @param authorities the certificates in PEM
   */
  void publish(String authorities) {
    try {
      write(authorities);
      lastProblem = "";
    } catch (KubernetesClientException e) {
      String problem = String.valueOf(e.getMessage());
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT && !problem.equals(lastProblem)) {
        LOG.warn(
            "ConfigMap {}/{} does not contain Berth's certificate authority, so clients that"
                + " verify Berth with it may fail: {}",
            namespace,
            Installation.AUTHORITY_CONFIG_MAP,
            problem);
        lastProblem = problem;
      }
    }
  }

  private void write(String authorities) {
    @Nullable ConfigMap before =
        client
            .configMaps()
            .inNamespace(namespace)
            .withName(Installation.AUTHORITY_CONFIG_MAP)
            .get();
    if (before == null) {
      client
          .resource(
              new ConfigMapBuilder()
                  .withNewMetadata()
                  .withNamespace(namespace)
                  .withName(Installation.AUTHORITY_CONFIG_MAP)
                  .addToLabels("app.kubernetes.io/name", "berth")
                  .endMetadata()
                  .addToData(KEY, authorities)
                  .build())
          .create();
    } else if (!Map.of(KEY, authorities).equals(before.getData())) {
      client
          .resource(new ConfigMapBuilder(before).withData(Map.of(KEY, authorities)).build())
          .update();
    }
  }
}
