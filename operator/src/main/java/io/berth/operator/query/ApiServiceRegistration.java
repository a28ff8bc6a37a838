package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.APIService;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the CA bundle in the APIService, by which API servers verify Berth's certificate. */
public final class ApiServiceRegistration implements Consumer<String> {
  private static final Logger LOG = LoggerFactory.getLogger(ApiServiceRegistration.class);

  private final KubernetesClient client;
  private String lastProblem = "";

  /**
   * @param client a client that may get and patch the APIService
   */
  public ApiServiceRegistration(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Writes the authorities if the APIService has others. A failure is logged once, and the next
   * call tries again.
   *
   * @param authorities the certificates in PEM
   */
  @Override
  public void accept(String authorities) {
    try {
      APIService service = client.resources(APIService.class).withName(QueryApi.API_SERVICE).get();
      if (service == null) {
        problem("there is none: apply deploy/features/query-api.yaml");
        return;
      }
      String bundle =
          Base64.getEncoder().encodeToString(authorities.getBytes(StandardCharsets.UTF_8));
      if (!bundle.equals(service.getSpec().getCaBundle())) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("spec").put("caBundle", bundle);
        client
            .resources(APIService.class)
            .withName(QueryApi.API_SERVICE)
            .patch(PatchContext.of(PatchType.JSON_MERGE), patch.toString());
        LOG.info("APIService {} has Berth's certificate authority", QueryApi.API_SERVICE);
      }
      lastProblem = "";
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        problem(String.valueOf(e.getMessage()));
      }
    }
  }

  private void problem(String problem) {
    if (!problem.equals(lastProblem)) {
      LOG.warn(
          "APIService {} does not have Berth's certificate authority, so API servers do not forward"
              + " requests: {}",
          QueryApi.API_SERVICE,
          problem);
      lastProblem = problem;
    }
  }
}
