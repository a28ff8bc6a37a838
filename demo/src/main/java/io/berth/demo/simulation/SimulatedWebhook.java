package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.invariant.EngineSources;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.Tenants;
import io.berth.operator.admission.WebhookEndpoint;
import io.berth.operator.feed.ClusterFeed;
import io.berth.webhook.admission.AdmissionObserver;
import io.berth.webhook.admission.AdmissionPath;
import io.berth.webhook.admission.AdmissionService;
import io.berth.webhook.admission.BadReviewException;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PlatformMistake;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.error.ErrorCode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.zjsonpatch.JsonPatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The admission webhook for pods, as a replica serves it that never crashes. Its watch is late, as
 * the leader's is.
 */
final class SimulatedWebhook {
  private static final Duration READ_REVISIONS = Duration.ofSeconds(1);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final AdmissionService service;
  private final Consumer<String> onViolation;
  private final SimulatedWatch watch;
  private long reviews;

  /**
   * @param client used to build a feed; no requests are sent
   * @param onViolation called if a review fails
   */
  SimulatedWebhook(
      VirtualTime time,
      ApiStore store,
      Faults faults,
      KubernetesClient client,
      Consumer<String> onViolation) {
    this.onViolation = onViolation;
    ClusterFeed feed = EngineSources.feed(client);
    LiveCatalog catalog = EngineSources.catalog(feed);
    PodMutator mutator =
        new PodMutator(ConfigLookup.nothing(), time.clock(), Set.of(Tenants.SCHEDULER));
    service = new AdmissionService(catalog, mutator, WebhookEndpoint.validator(), new Observer());
    watch =
        new SimulatedWatch(
            time,
            store,
            faults,
            () -> true,
            feed,
            () -> {
              if (catalog.lacksRevisions()) { // they are read without faults
                time.later(
                    READ_REVISIONS,
                    () -> catalog.stored(EngineSources.stored(store.all()).objects()));
              }
            });
    watch.start();
  }

  /** Reports reviews that fail. */
  private final class Observer implements AdmissionObserver {
    @Override
    public void reviewed(AdmissionPath path, Verdict verdict) {
      // every verdict is as good as another
    }

    @Override
    public void denied(AdmissionPath path, ErrorCode code) {
      // the tenant learns it
    }

    @Override
    public void platformMistake(PlatformMistake mistake) {
      // bindings name policies and configs that do not exist
    }

    @Override
    public void failed(AdmissionPath path, RuntimeException failure) {
      onViolation.accept("a review failed: " + failure);
    }
  }

  /**
   * Returns a pod as it is stored; empty if it is denied.
   *
   * @param before the stored pod; null if it is created
   */
  Optional<ObjectNode> admit(ObjectNode pod, @Nullable ObjectNode before) {
    try {
      JsonNode answer =
          JSON.readTree(service.review(AdmissionPath.MUTATE_PODS, review(pod, before)))
              .path("response");
      if (!answer.path("allowed").asBoolean()) {
        return Optional.empty();
      }
      JsonNode patch = answer.path("patch");
      return Optional.of(
          patch.isMissingNode()
              ? pod
              : (ObjectNode) JsonPatch.apply(JSON.readTree(patch.binaryValue()), pod));
    } catch (BadReviewException e) {
      throw new IllegalStateException("the simulated review is not valid", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private byte[] review(ObjectNode pod, @Nullable ObjectNode before) throws IOException {
    ObjectNode review = JsonNodeFactory.instance.objectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    ObjectNode request = review.putObject("request");
    request.put("uid", "review-" + ++reviews);
    request.put("operation", before == null ? "CREATE" : "UPDATE");
    request.putObject("kind").put("group", "").put("version", "v1").put("kind", "Pod");
    request.put("namespace", ObjectKey.of(pod).namespace());
    request.put("name", ObjectKey.of(pod).name());
    request.set("object", pod);
    if (before != null) {
      request.set("oldObject", before);
    }
    return JSON.writeValueAsBytes(review);
  }
}
