package io.berth.operator.offline;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.berth.crds.schema.NearestName;
import io.berth.operator.admission.WebhookEndpoint;
import io.berth.operator.policy.LegacyCheck;
import io.berth.operator.policy.ServablePolicies;
import io.berth.webhook.admission.AdmissionObserver;
import io.berth.webhook.admission.AdmissionPath;
import io.berth.webhook.admission.AdmissionService;
import io.berth.webhook.admission.BadReviewException;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.binding.OwnerLookup;
import io.berth.webhook.error.ObjectNames;
import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.zjsonpatch.JsonPatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * Reviews objects as in a cluster that contains only them: each object is reviewed by the same code
 * that answers the API server, so the messages are identical.
 */
public final class OfflineReview {

  private static final ObjectMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
  private static final String GROUP = "sched.cloud.ctrip.com";
  private static final String API_VERSION = GROUP + "/v1";
  private static final String SYSTEM_NAMESPACE = "kube-system";
  private static final String DAEMON_SET_CONTROLLER =
      "system:serviceaccount:kube-system:daemon-set-controller";
  private static final Map<String, Class<? extends HasMetadata>> CATALOGUED =
      Map.of(
          "NodeSchedulerConfig", NodeSchedulerConfig.class,
          "PodSchedulerConfig", PodSchedulerConfig.class,
          "SchedulerConfigBinding", SchedulerConfigBinding.class,
          "SchedulingPolicy", SchedulingPolicy.class,
          "SchedulingQueue", SchedulingQueue.class);

  private final List<Manifest> manifests;
  private final String operatorNamespace;
  private final String defaultNamespace;
  private final DefinitionSchemas schemas = new DefinitionSchemas();
  private final LiveCatalog catalog;
  private final AdmissionService webhook;

  /**
   * Creates a review of these objects.
   *
   * @param operatorNamespace Berth's own namespace, whose bindings can apply to other namespaces
   * @param defaultNamespace the namespace of objects that have none
   */
  public OfflineReview(
      List<Manifest> manifests, String operatorNamespace, String defaultNamespace) {
    this.manifests = List.copyOf(manifests);
    this.operatorNamespace = operatorNamespace;
    this.defaultNamespace = defaultNamespace;
    ServablePolicies policies = new ServablePolicies();
    policies.kept(Map.of()); // files contain no earlier revisions
    this.catalog = new LiveCatalog(operatorNamespace, OwnerLookup.byName(), policies);
    this.manifests.forEach(this::take);
    this.webhook =
        new AdmissionService(
            catalog,
            new PodMutator(ConfigLookup.nothing(), InstantSource.system()),
            WebhookEndpoint.validator(),
            AdmissionObserver.none());
  }

  /** Reviews every object that is relevant to Berth, in the order of the files. */
  public List<ReviewResult> reviewAll() {
    return manifests.stream().map(this::review).flatMap(Optional::stream).toList();
  }

  private Optional<ReviewResult> review(Manifest manifest) {
    if (isOurs(manifest)) {
      return Optional.of(reviewOwnKind(manifest));
    }
    if (manifest.apiGroup().equals(GROUP)) {
      return Optional.of(
          new ReviewResult(manifest, List.of(unknownKind(manifest)), List.of(), List.of()));
    }
    if (isLegacyPolicy(manifest)) {
      return Optional.of(reviewLegacyPolicy(manifest));
    }
    if (manifest.kind().equals("Pod")) {
      return Optional.of(reviewPod(manifest, withNamespace(manifest.object(), manifest), ""));
    }
    return TemplatePod.of(manifest).map(pod -> reviewWorkload(manifest, pod));
  }

  private String unknownKind(Manifest manifest) {
    String version = manifest.apiVersion();
    return schemas.knows(manifest.kind())
        ? "apiVersion: %s is not served for this kind: write %s".formatted(version, API_VERSION)
        : "kind: is not a kind of %s (accepted: %s)"
            .formatted(GROUP, NearestName.accepted(manifest.kind(), CATALOGUED.keySet()));
  }

  private ReviewResult reviewOwnKind(Manifest manifest) {
    List<String> problems = new ArrayList<>();
    String name = manifest.name();
    if (name.isEmpty()) {
      problems.add("metadata.name: is missing: give the object a name");
    } else if (!ObjectNames.isValid(name)) {
      problems.add("metadata.name: cannot be a name: " + ObjectNames.RULE);
    }
    List<String> extensions = extensionFields(manifest.object());
    problems.addAll(
        schemas.problems(
            manifest.kind(), manifest.object().<ObjectNode>deepCopy().remove(extensions)));
    if (!problems.isEmpty()) {
      // The API server calls no webhook for an object that violates its schema.
      return new ReviewResult(manifest, problems, List.of(), List.of());
    }
    JsonNode response =
        response(AdmissionPath.VALIDATE_CONFIGS, manifest, manifest.kind(), manifest.object(), "");
    List<String> warnings = new ArrayList<>(texts(response.path("warnings")));
    extensions.forEach(
        field ->
            warnings.add(
                field
                    + ": is not a field of the kind; the API server drops it, and kubectl rejects"
                    + " it without --validate=warn"));
    return new ReviewResult(manifest, refusals(response), warnings, List.of());
  }

  /** Returns the fields that hold anchors for aliases by convention: {@code x-something}. */
  private static List<String> extensionFields(JsonNode object) {
    return object.properties().stream()
        .map(Map.Entry::getKey)
        .filter(field -> field.startsWith("x-"))
        .toList();
  }

  private ReviewResult reviewLegacyPolicy(Manifest manifest) {
    List<String> problems =
        typed(manifest, ConfigMap.class)
            .map(map -> LegacyCheck.problems(map).stream().map(Problem::text).toList())
            .orElse(List.of("data: is not a valid ConfigMap: its values must be strings"));
    List<String> warnings =
        problems.isEmpty()
            ? typed(manifest, ConfigMap.class).map(LegacyCheck::remarks).orElse(List.of())
            : List.of();
    return new ReviewResult(manifest, problems, warnings, List.of());
  }

  private ReviewResult reviewWorkload(Manifest manifest, ObjectNode pod) {
    List<String> warnings =
        texts(
            response(AdmissionPath.WARN_WORKLOADS, manifest, manifest.kind(), manifest.object(), "")
                .path("warnings"));
    String creator = manifest.kind().equals("DaemonSet") ? DAEMON_SET_CONTROLLER : "";
    ReviewResult ofPod = reviewPod(manifest, withNamespace(pod, manifest), creator);
    if (!ofPod.isAccepted()) {
      return new ReviewResult(manifest, warnings, List.of(), List.of());
    }
    // The owner reference is synthetic, to resolve bindings, and has no UID.
    ofPod.pods().forEach(each -> ((ObjectNode) each.path("metadata")).remove("ownerReferences"));
    return new ReviewResult(manifest, List.of(), warnings, ofPod.pods());
  }

  private ReviewResult reviewPod(Manifest manifest, ObjectNode pod, String creator) {
    Optional<String> exempt = exemption(manifest, pod);
    if (exempt.isPresent()) {
      List<String> warnings =
          hasOwnAnnotations(pod)
              ? List.of(
                  "metadata.annotations: those of Berth have no effect, because its webhook does"
                      + " not review "
                      + exempt.get())
              : List.of();
      return new ReviewResult(manifest, List.of(), warnings, List.of(pod));
    }
    JsonNode response = response(AdmissionPath.MUTATE_PODS, manifest, "Pod", pod, creator);
    List<String> problems = refusals(response);
    return new ReviewResult(
        manifest,
        problems,
        texts(response.path("warnings")),
        problems.isEmpty() ? List.of(patched(pod, response)) : List.of());
  }

  /** Returns which pods like this one the webhook does not review; empty if it reviews the pod. */
  private Optional<String> exemption(Manifest manifest, JsonNode pod) {
    String namespace = manifest.namespace(defaultNamespace);
    if (namespace.equals(SYSTEM_NAMESPACE) || namespace.equals(operatorNamespace)) {
      return Optional.of("pods of namespace " + namespace);
    }
    if (pod.path("metadata").path("annotations").has(Annotations.MIRROR_POD)) {
      return Optional.of("mirror pods");
    }
    return pod.path("spec").path("nodeName").asText("").isEmpty()
        ? Optional.empty()
        : Optional.of("pods that name their node");
  }

  private static boolean hasOwnAnnotations(JsonNode pod) {
    return pod.path("metadata").path("annotations").properties().stream()
        .anyMatch(annotation -> annotation.getKey().contains(GROUP + "/"));
  }

  private JsonNode response(
      AdmissionPath path, Manifest manifest, String kind, JsonNode object, String user) {
    ObjectNode review = JsonNodeFactory.instance.objectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    ObjectNode request = review.putObject("request");
    request.put("uid", "offline").put("operation", "CREATE");
    request.putObject("kind").put("kind", kind);
    request.put("namespace", namespace(manifest)).put("name", manifest.name());
    request.putObject("userInfo").put("username", user);
    request.set("object", object);
    try {
      return JSON.readTree(webhook.review(path, JSON.writeValueAsBytes(review))).path("response");
    } catch (BadReviewException | IOException e) {
      throw new IllegalStateException("an AdmissionReview created here cannot be parsed", e);
    }
  }

  private String namespace(Manifest manifest) {
    boolean clusterWide = isOurs(manifest) && !manifest.kind().equals("SchedulerConfigBinding");
    return clusterWide ? "" : manifest.namespace(defaultNamespace);
  }

  private ObjectNode withNamespace(JsonNode pod, Manifest manifest) {
    ObjectNode copy = pod.deepCopy();
    copy.withObject("/metadata").put("namespace", manifest.namespace(defaultNamespace));
    return copy;
  }

  private boolean isOurs(Manifest manifest) {
    return manifest.apiVersion().equals(API_VERSION) && schemas.knows(manifest.kind());
  }

  private boolean isLegacyPolicy(Manifest manifest) {
    return manifest.kind().equals("ConfigMap")
        && manifest.namespace(defaultNamespace).equals(operatorNamespace)
        && manifest
            .object()
            .path("metadata")
            .path("labels")
            .path(Annotations.LEGACY_POLICY_LABEL)
            .asText()
            .equals("true");
  }

  /**
   * Adds a manifest to the catalog, unless it cannot be parsed as its type, which the review
   * reports.
   */
  private void take(Manifest manifest) {
    Optional<? extends HasMetadata> object = Optional.empty();
    if (manifest.name().isEmpty()) {
      return;
    }
    if (isOurs(manifest)) {
      object = typed(manifest, CATALOGUED.get(manifest.kind()));
    } else if (isLegacyPolicy(manifest)) {
      object = typed(manifest, ConfigMap.class);
    } else if (manifest.kind().equals("Namespace") && manifest.apiGroup().isEmpty()) {
      object = typed(manifest, Namespace.class);
    }
    object.ifPresent(
        each -> {
          if (each instanceof SchedulerConfigBinding) {
            each.getMetadata().setNamespace(namespace(manifest));
          }
          catalog.put(each);
        });
  }

  private static <T extends HasMetadata> Optional<T> typed(Manifest manifest, Class<T> type) {
    try {
      return Optional.of(JSON.treeToValue(manifest.object(), type));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static List<String> refusals(JsonNode response) {
    return response.path("allowed").asBoolean()
        ? List.of()
        : response.at("/status/message").asText().lines().toList();
  }

  private static List<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asText).toList();
  }

  private static JsonNode patched(ObjectNode pod, JsonNode response) {
    String patch = response.path("patch").asText("");
    if (patch.isEmpty()) {
      return pod;
    }
    try {
      return JsonPatch.apply(JSON.readTree(Base64.getDecoder().decode(patch)), pod);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
