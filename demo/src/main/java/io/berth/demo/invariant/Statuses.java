package io.berth.demo.invariant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.ObjectKey;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.operator.feed.EventReceipt;
import io.berth.operator.feed.Subscription;
import io.berth.operator.reconcile.Reconciliation;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.rollout.RolloutTally;
import io.berth.operator.schedule.EngineFeed;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The statuses of Berth's kinds in a cluster in which nothing happens any more: they are what new
 * reconcilers would write. Measured usage, times of transitions, and the results that the leader
 * has counted during rollouts are not compared.
 */
public final class Statuses {
  /** The kinds whose statuses Berth maintains. */
  public static final Set<String> KINDS =
      Set.of(
          "NodeSchedulerConfig",
          "PodSchedulerConfig",
          "SchedulerConfigBinding",
          "SchedulingPolicy",
          "SchedulingQueue");

  private static final String CONDITIONS = "conditions";
  private static final Set<String> OF_USAGE = Set.of("waterLevels", "pastShare", "pastShareAt");

  /** The results that were counted during a rollout. */
  private static final Set<String> COUNTS = Set.of("canary", "stable");

  private static final String USAGE_CONDITION = "LoadMeasured";
  private static final String REPAIR_CONDITION = "Repaired";

  private final List<ObjectNode> objects;
  private final Reconciliation fresh;
  private final KubernetesSerialization serialization = new KubernetesSerialization();

  private Statuses(
      KubernetesClient client,
      List<ObjectNode> objects,
      Engine living,
      String scheduler,
      Instant now) {
    this.objects = objects;
    EngineSources sources = EngineSources.of(client, scheduler);
    objects.forEach(
        object ->
            Optional.ofNullable(FreshEngine.KINDS.get(ObjectKey.of(object).kind()))
                .ifPresent(kind -> sources.feed().put(serialization.convertValue(object, kind))));
    Subscription subscription = sources.engineFeed().subscribe(new AtOnce(now));
    sources.beginTerm(EngineSources.stored(objects));
    subscription.close();
    Clock clock = Clock.fixed(now, ZoneOffset.UTC);
    NoCalls calls = new NoCalls();
    fresh =
        new Reconciliation(
            new Reconciliation.Parts(
                sources.feed(),
                sources.catalog(),
                sources.policies(),
                Optional::empty,
                () -> Optional.of(living.queues()),
                () -> Optional.of(living.shadows(now)),
                new RolloutTally(),
                Optional::empty,
                (policy, revision) -> {},
                config -> {},
                calls,
                new EventRecorder(
                    calls, subject -> scheduler, "fresh", clock, () -> false, () -> {}),
                Set.of(scheduler),
                false,
                clock));
    fresh.repair(); // counts the pods without rendering
  }

  /** Confirms all events at once. */
  private record AtOnce(Instant now) implements EngineFeed.Subscriber {
    @Override
    public void post(ClusterEvent event) {
      // nobody waits for it
    }

    @Override
    public void post(ClusterEvent event, Consumer<EventReceipt> receipt) {
      receipt.accept(new EventReceipt(now, Optional.empty()));
    }
  }

  /**
   * Returns the objects whose status is missing, outdated, or not what it should be.
   *
   * @param client used to build a feed; no requests are sent
   * @param living the engine from which the statuses of queues come
   */
  public static List<String> violations(
      KubernetesClient client,
      List<ObjectNode> objects,
      Engine living,
      String scheduler,
      Instant now) {
    return new Statuses(client, objects, living, scheduler, now).violations();
  }

  private List<String> violations() {
    List<String> violations = new ArrayList<>();
    for (ObjectNode object : objects) {
      if (KINDS.contains(ObjectKey.of(object).kind())) {
        violation(object)
            .ifPresent(
                what ->
                    violations.add(
                        "%s %s/%s %s"
                            .formatted(
                                ObjectKey.of(object).kind(),
                                ObjectKey.of(object).namespace(),
                                ObjectKey.of(object).name(),
                                what)));
      }
    }
    return violations;
  }

  private Optional<String> violation(ObjectNode object) {
    JsonNode generation = object.at("/metadata/generation");
    JsonNode observed = object.at("/status/observedGeneration");
    if (observed.asLong(-1) != generation.asLong()) {
      return Optional.of(
          "has generation %s, and its status is of generation %s".formatted(generation, observed));
    }
    HasMetadata stored =
        serialization.convertValue(object, FreshEngine.KINDS.get(ObjectKey.of(object).kind()));
    return fresh
        .reconcile(stored)
        .map(
            patch ->
                (ObjectNode) serialization.convertValue(patch, ObjectNode.class).path("status"))
        .map(
            wanted ->
                differences(comparable((ObjectNode) object.path("status")), comparable(wanted)))
        .filter(different -> !different.isEmpty())
        .map(different -> "has a status that new reconcilers would change: " + different);
  }

  private static String differences(ObjectNode written, ObjectNode wanted) {
    Set<String> fields = new LinkedHashSet<>();
    written.fieldNames().forEachRemaining(fields::add);
    wanted.fieldNames().forEachRemaining(fields::add);
    List<String> different = new ArrayList<>();
    for (String field : fields) {
      if (!written.path(field).equals(wanted.path(field))) {
        different.add(
            "%s is %s and should be %s".formatted(field, written.path(field), wanted.path(field)));
      }
    }
    return String.join("; ", different);
  }

  /** Returns whether the status of an object has changed only in what is measured or counted. */
  public static boolean differsInUsageOnly(ObjectNode before, ObjectNode after) {
    return !before.path("status").equals(after.path("status"))
        && before.path("status") instanceof ObjectNode old
        && after.path("status") instanceof ObjectNode current
        && withoutUsage(old).equals(withoutUsage(current));
  }

  /** Returns a status without what new reconcilers cannot know. */
  private static ObjectNode comparable(ObjectNode status) {
    ObjectNode comparable = withoutUsage(status);
    boolean lacking = comparable.path("unrenderedPods").asInt() > 0;
    for (ObjectNode condition : conditions(comparable)) {
      condition.remove("lastTransitionTime");
      if (lacking && condition.path("type").asText().equals(REPAIR_CONDITION)) {
        condition.removeAll(); // it tells what happened in the last round
      }
    }
    return comparable;
  }

  private static ObjectNode withoutUsage(ObjectNode status) {
    ObjectNode without = status.deepCopy();
    without.remove(OF_USAGE);
    if (without.path("rollout") instanceof ObjectNode rollout) {
      rollout.remove(COUNTS);
    }
    if (without.path(CONDITIONS) instanceof ArrayNode all) {
      for (int i = all.size() - 1; i >= 0; i--) {
        if (all.path(i).path("type").asText().equals(USAGE_CONDITION)) {
          all.remove(i);
        }
      }
    }
    return without;
  }

  private static List<ObjectNode> conditions(ObjectNode status) {
    List<ObjectNode> conditions = new ArrayList<>();
    status.path(CONDITIONS).forEach(condition -> conditions.add((ObjectNode) condition));
    return conditions;
  }
}
