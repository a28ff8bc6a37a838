package io.berth.demo.real;

import static org.awaitility.Awaitility.await;

import io.berth.operator.query.QueryApi;
import io.fabric8.kubernetes.api.model.APIService;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;

/** The endpoint of the API group of queries, for a Berth in this process. */
final class QueryEndpoint {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String BERTH = "berth-system";
  private static final String SERVICE = "berth-query";

  private QueryEndpoint() {}

  /**
   * Leads the requests of API servers to a port of this machine, as the Service does with a pod
   * that is ready. Returns when the API is available.
   */
  static void lead(KubernetesClient admin, int port) {
    admin.services().inNamespace(BERTH).withName(SERVICE).delete();
    admin
        .resource(
            new ServiceBuilder()
                .withNewMetadata()
                .withName(SERVICE)
                .withNamespace(BERTH)
                .endMetadata()
                .withNewSpec()
                .withType("ExternalName")
                .withExternalName("localhost")
                .endSpec()
                .build())
        .create();
    admin
        .resources(APIService.class)
        .withName(QueryApi.API_SERVICE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\": {\"service\": {\"port\": %d}}}".formatted(port));
    await().atMost(PATIENCE).until(() -> isAvailable(admin));
  }

  /** Returns whether the API server reports that the API answers. */
  static boolean isAvailable(KubernetesClient admin) {
    return admin
        .resources(APIService.class)
        .withName(QueryApi.API_SERVICE)
        .get()
        .getStatus()
        .getConditions()
        .stream()
        .anyMatch(
            condition ->
                condition.getType().equals("Available") && condition.getStatus().equals("True"));
  }
}
