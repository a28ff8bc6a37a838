package io.berth.engine.kube;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Refusal;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.QueueRef;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.quantity.ExactQuantity;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects the fields of a queue that another project's object describes, and reports those that
 * have no equivalent.
 */
final class QueueFields {
  /** The prefix of quotas for the number of objects, such as {@code count/pods}. */
  private static final String OBJECT_COUNT = "count/";

  private final GenericKubernetesResource object;
  private final QueueRef ref;
  private final List<String> notKept = new ArrayList<>();

  String parent = "";
  ResourceAmounts guarantee = ResourceAmounts.none();
  ResourceAmounts limit = ResourceAmounts.none();
  long weight = 1;
  long priority;
  Duration minRunTime = Duration.ZERO;
  Set<String> namespaces = Set.of();
  boolean open = true;
  boolean reclaimable = true;

  QueueFields(QueueRef ref, GenericKubernetesResource object) {
    this.ref = ref;
    this.object = object;
  }

  Map<?, ?> spec() {
    return JsonMaps.mapIn(object.getAdditionalProperties(), "spec");
  }

  Map<?, ?> status() {
    return JsonMaps.mapIn(object.getAdditionalProperties(), "status");
  }

  Map<String, String> labels() {
    return Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.of());
  }

  Map<String, String> annotations() {
    return Objects.requireNonNullElse(object.getMetadata().getAnnotations(), Map.of());
  }

  /** Sets the parent, by its name in the same dialect; an empty name means none. */
  void partOf(String name) {
    parent = name.isEmpty() ? "" : new QueueRef(ref.dialect(), name).key();
  }

  /**
   * Reports a field that Berth does not keep.
   *
   * @param instead the behavior of Berth
   */
  void notKept(String field, String instead) {
    notKept.add("%s (%s)".formatted(field, instead));
  }

  /**
   * Returns the amounts of a resource list; entries that are no resource of nodes are reported.
   *
   * @throws RefusedException with the first entry that is not a quantity
   */
  ResourceAmounts amounts(Map<?, ?> list, String where) {
    Map<String, Long> amounts = new HashMap<>();
    new TreeMap<>(textKeys(list))
        .forEach(
            (resource, given) -> {
              String path = where + "." + resource;
              ExactQuantity quantity = Quantities.read(String.valueOf(given), path);
              if (Amounts.isCounted(resource) && !resource.startsWith(OBJECT_COUNT)) {
                amounts.put(resource, bounded(Amounts.rounded(resource, quantity)));
              } else {
                notKept(path, "it is no resource of nodes");
              }
            });
    return ResourceAmounts.of(amounts);
  }

  static long bounded(long amount) {
    return Math.min(amount, QueueModel.EVERYTHING);
  }

  private static Map<String, Object> textKeys(Map<?, ?> list) {
    Map<String, Object> named = new HashMap<>();
    list.forEach((key, value) -> named.put(String.valueOf(key), value));
    return named;
  }

  /** Returns the larger amount of each resource. */
  static ResourceAmounts larger(ResourceAmounts one, ResourceAmounts other) {
    Map<String, Long> amounts = new HashMap<>();
    for (ResourceAmounts each : List.of(one, other)) {
      for (int i = 0; i < each.size(); i++) {
        amounts.merge(each.name(i), each.amount(i), Math::max);
      }
    }
    return ResourceAmounts.of(amounts);
  }

  /**
   * Returns a number.
   *
   * @throws RefusedException if the value is none
   */
  static double number(@Nullable Object value, String where, double fallback) {
    if (value == null) {
      return fallback;
    }
    if (value instanceof Number number) {
      return number.doubleValue();
    }
    throw new RefusedException("%s is %s: must be a number".formatted(where, value));
  }

  static String text(@Nullable Object value) {
    return value instanceof String text ? text : "";
  }

  /** Returns the event, with a report of what is not kept. */
  ClusterEvent.QueueUpserted event() {
    QueueModel queue =
        new QueueModel(
            ref.dialect(),
            ref.key(),
            parent,
            guarantee,
            limit,
            Math.clamp(weight, 1, Integer.MAX_VALUE),
            Math.clamp(priority, Integer.MIN_VALUE, Integer.MAX_VALUE),
            minRunTime,
            namespaces,
            LabelSelector.nothing(),
            open,
            reclaimable);
    return notKept.isEmpty()
        ? new ClusterEvent.QueueUpserted(queue)
        : new ClusterEvent.QueueUpserted(
            queue,
            Optional.of(
                new Refusal(
                    PodCompiler.orEmpty(object.getKind()),
                    ref.key(),
                    "Berth does not keep " + BoundedText.list(notKept))));
  }

  /** Returns the name of a queue object: with its namespace if names are unique only there. */
  static QueueRef ref(QueueDialect dialect, GenericKubernetesResource object) {
    String name =
        Labels.requireName(PodCompiler.orEmpty(object.getMetadata().getName()), "metadata.name");
    return new QueueRef(
        dialect,
        dialect == QueueDialect.SCHEDULER_PLUGINS
            ? Labels.requireName(object.getMetadata().getNamespace(), "metadata.namespace")
                + "/"
                + name
            : name);
  }
}
