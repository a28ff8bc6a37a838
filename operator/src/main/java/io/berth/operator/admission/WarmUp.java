package io.berth.operator.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.webhook.admission.AdmissionObserver;
import io.berth.webhook.admission.AdmissionPath;
import io.berth.webhook.admission.AdmissionService;
import io.berth.webhook.admission.BadReviewException;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.binding.LiveCatalog;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;

/**
 * Reviews synthetic objects before the first real review. An API server waits three seconds for an
 * answer, and on a busy machine the first review may take longer than that because it loads all
 * classes.
 */
final class WarmUp {

  private static final int ROUNDS = 5;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String CONFIG =
      """
      {"apiVersion": "sched.cloud.ctrip.com/v1", "kind": "NodeSchedulerConfig", "metadata": {"name": "pool"},
       "spec": {"parameters": [{"name": "Pool", "required": true, "pattern": "[A-Z]"}],
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
         {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["${Pool}"]}]}]}}}}
      """;
  private static final String BINDING =
      """
      {"apiVersion": "sched.cloud.ctrip.com/v1", "kind": "SchedulerConfigBinding",
       "metadata": {"namespace": "team", "name": "all"},
       "spec": {"nodeConfigs": [{"name": "pool", "args": {"Pool": "A"}}], "schedulingPolicy": "batch"}}
      """;
  private static final String POLICY =
      """
      {"apiVersion": "sched.cloud.ctrip.com/v1", "kind": "SchedulingPolicy", "metadata": {"name": "batch"},
       "spec": {"priorities": [{"name": "NodeAffinity", "weight": 2}]}}
      """;
  private static final String POD =
      """
      {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "team", "name": "pod", "annotations": {
        "scb.sched.cloud.ctrip.com/nsc": "pool", "scb.sched.cloud.ctrip.com/nsc-args": "{\\"Pool\\":\\"B\\"}"}},
       "spec": {"containers": [{"name": "main", "image": "image"}]}}
      """;
  private static final String DEPLOYMENT =
      """
      {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"namespace": "team", "name": "web"},
       "spec": {"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": []}}}}
      """;

  private WarmUp() {}

  static void run() {
    try {
      LiveCatalog catalog = new LiveCatalog("berth-system");
      catalog.put(JSON.readValue(CONFIG, NodeSchedulerConfig.class));
      catalog.put(JSON.readValue(BINDING, SchedulerConfigBinding.class));
      AdmissionService service =
          new AdmissionService(
              catalog,
              new PodMutator(ConfigLookup.nothing(), InstantSource.system()),
              WebhookEndpoint.validator(),
              AdmissionObserver.none());
      for (int round = 0; round < ROUNDS; round++) {
        service.review(AdmissionPath.VALIDATE_CONFIGS, review("NodeSchedulerConfig", CONFIG));
        service.review(AdmissionPath.VALIDATE_CONFIGS, review("SchedulerConfigBinding", BINDING));
        service.review(AdmissionPath.VALIDATE_CONFIGS, review("SchedulingPolicy", POLICY));
        service.review(AdmissionPath.MUTATE_PODS, review("Pod", POD));
        service.review(AdmissionPath.WARN_WORKLOADS, review("Deployment", DEPLOYMENT));
      }
    } catch (JsonProcessingException | BadReviewException e) {
      throw new IllegalStateException("the warm-up's synthetic objects are invalid", e);
    }
  }

  private static byte[] review(String kind, String object) {
    return """
    {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
      "uid": "warm-up", "operation": "CREATE", "namespace": "team", "kind": {"kind": "%s"}, "object": %s}}
    """
        .formatted(kind, object)
        .getBytes(StandardCharsets.UTF_8);
  }
}
