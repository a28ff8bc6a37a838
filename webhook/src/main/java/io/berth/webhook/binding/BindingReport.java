package io.berth.webhook.binding;

import io.berth.crds.SchedulerNames;
import io.berth.crds.binding.BindingConflict;
import io.berth.crds.binding.BindingField;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The effect of a binding on the pods of the cluster, for its status.
 *
 * @param matchedPods the number of pods that its selectors and its rollout include; 0 for an
 *     enforced binding that sets no field
 * @param wouldChange the number of these pods whose configs, policy, scheduler, group, or queue
 *     would change if this binding, and no other DryRun binding, were enforced; 0 for a binding
 *     that is enforced
 * @param losesTo the bindings that win over it for at least one pod, by namespace and name
 * @param winsOver the bindings that lose to it for at least one pod, by namespace and name
 */
public record BindingReport(
    int matchedPods,
    int wouldChange,
    List<BindingConflict> losesTo,
    List<BindingConflict> winsOver) {

  /**
   * Reports on every binding of a catalog; the order of the pods does not matter.
   *
   * @param pods the number of pods in each group, from {@link ConfigCatalog#alike}
   */
  public static Map<BindingKey, BindingReport> of(
      ConfigCatalog catalog, Map<PodSubject, Integer> pods) {
    Map<BindingKey, Tally> tallies = new LinkedHashMap<>();
    catalog.bindingKeys().forEach(key -> tallies.put(key, new Tally()));
    Map<String, Predicate<BoundBinding>> broken = new HashMap<>();
    pods.forEach(
        (pod, count) ->
            tally(
                catalog.precedence(pod),
                broken.computeIfAbsent(pod.namespace(), catalog::broken),
                pod,
                count,
                tallies));
    Map<BindingKey, BindingReport> reports = new LinkedHashMap<>();
    tallies.forEach((key, tally) -> reports.put(key, tally.report()));
    return reports;
  }

  private static void tally(
      FieldPrecedence precedence,
      Predicate<BoundBinding> broken,
      PodSubject pod,
      int count,
      Map<BindingKey, Tally> tallies) {
    Resolution now = precedence.resolve(key -> false, broken);
    precedence.reaching().stream()
        .filter(BindingReport::counts)
        .forEach(binding -> tallies.get(binding.key()).matched += count);
    Map<Pair, TreeSet<BindingField>> fieldsOfPod = new HashMap<>();
    for (OverriddenBinding loss : now.losses()) {
      if (loss.winner() instanceof Source.OfBinding(BindingKey winner, long generation)) {
        Pair pair = new Pair(winner, loss.loser(), loss.reason());
        fieldsOfPod.computeIfAbsent(pair, each -> new TreeSet<>()).add(loss.field());
      }
    }
    fieldsOfPod.forEach(
        (pair, fields) -> {
          tallies.get(pair.loser).loses(pair.winner, pair.reason, fields, count);
          tallies.get(pair.winner).wins(pair.loser, pair.reason, fields, count);
        });
    Set<BindingKey> changing = new HashSet<>();
    precedence.eachDryRunAlone(
        broken,
        then -> {
          if (then.source() instanceof Source.OfBinding(BindingKey key, long generation)
              && !now.choice(then.field())
                  .map(choice -> givesTheSame(choice, then, pod))
                  .orElse(false)) {
            changing.add(key);
          }
        });
    changing.forEach(key -> tallies.get(key).wouldChange += count);
  }

  /** A binding that sets nothing selects no pods. */
  private static boolean counts(BoundBinding binding) {
    return binding.isDryRun()
        || Stream.of(BindingField.values()).anyMatch(field -> binding.sets(field));
  }

  private static boolean givesTheSame(Choice now, Choice then, PodSubject pod) {
    if (then.field() == BindingField.SCHEDULING_POLICY) {
      return now.policy().equals(then.policy()) && scheduler(now, pod).equals(scheduler(then, pod));
    }
    if (then.field() == BindingField.GROUP) {
      return now.group().equals(then.group());
    }
    if (then.field() == BindingField.QUEUE) {
      return now.queue().equals(then.queue());
    }
    return switch (now.source()) {
      case Source.OfBinding _ -> now.configs().equals(then.configs());
      case Source.OfPod() ->
          AnnotatedConfigs.of(pod, then.field()).map(then.configs()::equals).orElse(false);
    };
  }

  /** Returns the resulting scheduler; one that the pod itself names is kept. */
  private static String scheduler(Choice choice, PodSubject pod) {
    String own = pod.schedulerName();
    return own.isEmpty() || own.equals(SchedulerNames.KUBERNETES_DEFAULT)
        ? choice.schedulerName().orElse(SchedulerNames.BERTH)
        : own;
  }

  private record Pair(BindingKey winner, BindingKey loser, String reason) {}

  /** The counts of one binding. */
  private static final class Tally {
    private int matched;
    private int wouldChange;
    private final Map<String, Conflict> losesTo = new TreeMap<>();
    private final Map<String, Conflict> winsOver = new TreeMap<>();

    void loses(BindingKey winner, String reason, Set<BindingField> fields, int count) {
      losesTo
          .computeIfAbsent(winner.toString(), each -> new Conflict(winner, reason))
          .add(fields, count);
    }

    void wins(BindingKey loser, String reason, Set<BindingField> fields, int count) {
      winsOver
          .computeIfAbsent(loser.toString(), each -> new Conflict(loser, reason))
          .add(fields, count);
    }

    BindingReport report() {
      return new BindingReport(
          matched,
          wouldChange,
          losesTo.values().stream().map(Conflict::value).toList(),
          winsOver.values().stream().map(Conflict::value).toList());
    }
  }

  /** A conflict with another binding, from the point of view of one of the two. */
  private static final class Conflict {
    private final BindingKey other;
    private final String reason;
    private final TreeSet<BindingField> fields = new TreeSet<>();
    private int pods;

    Conflict(BindingKey other, String reason) {
      this.other = other;
      this.reason = reason;
    }

    void add(Set<BindingField> more, int count) {
      fields.addAll(more);
      pods += count;
    }

    BindingConflict value() {
      return new BindingConflict(
          other.namespace(), other.name(), List.copyOf(fields), pods, reason);
    }
  }
}
