package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.NodeSchedulerConfigSpec;
import io.berth.crds.PodSchedulerConfigSpec;
import io.berth.crds.SchedulerConfigBindingSpec;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.model.PodModel;
import io.berth.engine.whatif.PolicyQuestion;
import io.berth.engine.whatif.PolicyTrial;
import io.berth.webhook.binding.CatalogChange;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.ServedPolicy;
import io.berth.webhook.error.ObjectNames;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Answers PolicyReviews and LocalPolicyReviews: what a SchedulingPolicy, config, or binding would
 * change for the pods that exist, on the mirror of this replica.
 */
final class PolicyReviews {
  private static final String POLICY = "policy";
  private static final Set<String> NAME_AND_SPEC = Set.of("name", "spec");

  /** The fields, by the path of the object that contains them. */
  static final Map<String, Set<String>> FIELDS =
      Map.of(
          "spec",
          Set.of(
              POLICY,
              ReviewedConfig.NODE_CONFIG.field(),
              ReviewedConfig.POD_CONFIG.field(),
              ReviewedConfig.BINDING.field()),
          "spec." + POLICY,
          NAME_AND_SPEC,
          "spec." + ReviewedConfig.NODE_CONFIG.field(),
          NAME_AND_SPEC,
          "spec." + ReviewedConfig.POD_CONFIG.field(),
          NAME_AND_SPEC,
          "spec." + ReviewedConfig.BINDING.field(),
          Set.of("namespace", "name", "spec"));

  /** The types of the specs. */
  static final Map<String, Class<?>> TYPES =
      Map.of(
          "spec." + POLICY + ".spec",
          SchedulingPolicySpec.class,
          "spec." + ReviewedConfig.NODE_CONFIG.field() + ".spec",
          NodeSchedulerConfigSpec.class,
          "spec." + ReviewedConfig.POD_CONFIG.field() + ".spec",
          PodSchedulerConfigSpec.class,
          "spec." + ReviewedConfig.BINDING.field() + ".spec",
          SchedulerConfigBindingSpec.class);

  private final MirrorAnswers mirrors;
  private final Supplier<ConfigCatalog> catalog;
  private final Renderings renderings;
  private final Clock clock;

  PolicyReviews(
      MirrorAnswers mirrors, Supplier<ConfigCatalog> catalog, Renderings renderings, Clock clock) {
    this.mirrors = mirrors;
    this.catalog = catalog;
    this.renderings = renderings;
    this.clock = clock;
  }

  /**
   * Returns the status of a review.
   *
   * @param request a review of one namespace, or of all
   * @param namesNodes whether the user may list nodes
   * @throws ApiException if the review is invalid, or cannot be answered now
   */
  ObjectNode answer(ApiUser user, ReviewRequest request, boolean namesNodes) throws ApiException {
    List<String> given = new ArrayList<>();
    FIELDS.get("spec").stream().filter(request.spec()::has).forEach(given::add);
    if (given.size() != 1) {
      throw ApiException.invalid(
          request.target().resource().kind(),
          "spec",
          "must have exactly one of policy, nodeSchedulerConfig, podSchedulerConfig, and"
              + " schedulerConfigBinding");
    }
    for (ReviewedConfig config : ReviewedConfig.values()) {
      if (given.contains(config.field())) {
        return answer(user, request, config, namesNodes);
      }
    }
    return answerAboutPolicy(user, request, namesNodes);
  }

  private ObjectNode answer(
      ApiUser user, ReviewRequest request, ReviewedConfig config, boolean namesNodes)
      throws ApiException {
    String namespace = request.target().namespace();
    Instant now = clock.instant();
    CatalogChange change =
        config.change(
            request.target().resource().kind(),
            request.spec().path(config.field()),
            namespace,
            catalog.get(),
            now);
    PolicyReviewStatus writer =
        new PolicyReviewStatus(config.nameIn(request.spec()), namespace, namesNodes);
    return mirrors.ask(
        user,
        () -> {
          Renderings.Prepared prepared = renderings.prepare(change, namespace);
          return (mirror, expired) ->
              writer.of(prepared.answer(mirror, now, expired), prepared.doubt());
        });
  }

  private ObjectNode answerAboutPolicy(ApiUser user, ReviewRequest request, boolean namesNodes)
      throws ApiException {
    String kind = request.target().resource().kind();
    JsonNode field = request.spec().path(POLICY);
    String name = field.path("name").asText("");
    if (!ObjectNames.isValid(name)) {
      throw ApiException.invalid(kind, "spec.policy.name", "must be the name of a policy");
    }
    if (!field.path("spec").isObject()) {
      throw ApiException.invalid(
          kind, "spec.policy.spec", "is required: the spec of a SchedulingPolicy, as it would be");
    }
    ReviewedPolicy policy = ReviewedPolicy.of(kind, field.path("spec"));
    Instant now = clock.instant();
    String namespace = request.target().namespace();
    ConfigCatalog known = catalog.get();
    ServedPolicy changed = known.served(named(policy.object(), name, known, now));
    PolicyQuestion question =
        new PolicyQuestion(
            name,
            policy.compiled(),
            known.defaultPolicyWith(changed).map(ServedPolicy::name).orElse(""),
            namespace,
            newlyDenied(changed, known));
    PolicyReviewStatus writer = new PolicyReviewStatus(name, namespace, namesNodes);
    return mirrors.ask(
        user,
        (mirror, expired) ->
            writer.of(PolicyTrial.answer(mirror, question, now, expired), Optional.empty()));
  }

  /** Returns the policy with its name, and as old as the one that it replaces. */
  private static SchedulingPolicy named(
      SchedulingPolicy policy, String name, ConfigCatalog known, Instant now) {
    policy.getMetadata().setName(name);
    policy
        .getMetadata()
        .setCreationTimestamp(
            known
                .policy(name)
                .map(ServedPolicy::created)
                .orElse(now.truncatedTo(ChronoUnit.SECONDS).toString()));
    return policy;
  }

  /** Returns which pods the quota guard of a policy would deny that no policy denies today. */
  private static Predicate<PodModel> newlyDenied(ServedPolicy changed, ConfigCatalog known) {
    return pod -> {
      String priorityClass = pod.spec().priorityClass();
      return !pod.mirror()
          && known.rendersIn(pod.ref().namespace())
          && changed.guardedClasses().contains(priorityClass)
          && known.guardOf(priorityClass).isEmpty()
          && !known.hasQuotaFor(pod.ref().namespace(), priorityClass);
    };
  }
}
