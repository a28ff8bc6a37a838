package io.berth.operator.policy;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.SharedNodes;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.plugins.MostAvailable;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.operator.api.LogKeys;
import io.berth.operator.feed.EventReceipt;
import io.berth.webhook.error.Problem;
import io.berth.webhook.rollout.SpecRevision;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compiles policies, passes them to the engines, and tracks which revision the leader's engine
 * serves.
 *
 * <p>If a policy does not compile, its last good revision continues to serve: from memory or, after
 * a restart, from {@link GoodRevisions}. A policy that is deleted is removed from the engine.
 * Thread-safe.
 */
public final class ServedPolicies {

  private static final Logger LOG = LoggerFactory.getLogger(ServedPolicies.class);

  private final PolicyCompiler compiler = new PolicyCompiler();
  private final BiConsumer<ClusterEvent, Consumer<EventReceipt>> engines;

  // Guarded by this.
  private final Map<String, PolicyEntry> entries = new LinkedHashMap<>();
  private Map<String, GoodRevision> kept = Map.of();
  private final Map<String, List<ClusterEvent.GaugeSeeded>> seeds = new HashMap<>();
  private String defaultPolicy = "";
  private boolean leading;
  private volatile Consumer<String> onChange = name -> {};

  /**
   * Creates an empty set of policies, and passes on the built-in one.
   *
   * @param engines passes an event on to all engines; calls back with a receipt when one has
   *     processed it
   */
  public ServedPolicies(BiConsumer<ClusterEvent, Consumer<EventReceipt>> engines) {
    this.engines = engines;
    send(new ClusterEvent.PolicyServed(builtIn(compiler)), receipt -> {});
    send(new ClusterEvent.DefaultPolicyChanged(defaultPolicy), receipt -> {});
  }

  /**
   * Registers a callback for changes of a policy's state, which runs on the engine's thread or on
   * the caller's of {@link #update}.
   */
  public void onChange(Consumer<String> listener) {
    onChange = listener;
  }

  /**
   * Passes on all policies again, before this replica's engine begins to decide.
   *
   * @param good the stored revisions, for policies that do not compile now
   * @param gauges the modes of the policies' gauges, by policy name
   */
  public void beginTerm(
      Map<String, GoodRevision> good, Map<String, List<ClusterEvent.GaugeSeeded>> gauges) {
    synchronized (this) {
      leading = true;
      kept = good.isEmpty() ? kept : Map.copyOf(good);
      seeds.clear();
      seeds.putAll(gauges);
      for (PolicyEntry entry : entries.values()) {
        entry.untaken();
        Optional<ClusterEvent.PolicyServed> before = entry.event();
        storedFor(entry).ifPresent(entry::resume);
        serve(entry, before);
      }
      defaultPolicy = firstDefault();
      send(new ClusterEvent.DefaultPolicyChanged(defaultPolicy), receipt -> {});
    }
  }

  /**
   * Adds the stored revisions, for policies that have nothing to serve, and those of which the last
   * complete revision is not known.
   */
  public void stored(Map<String, GoodRevision> good) {
    Set<String> changed;
    synchronized (this) {
      kept = Map.copyOf(good);
      entries.values().forEach(this::resume);
      changed = chooseDefault();
    }
    changed.forEach(onChange);
  }

  /**
   * Returns the policy for pods that name none while none is marked default: kube-scheduler's own
   * defaults, under the empty name, which no object can have.
   */
  private static CompiledPolicy builtIn(PolicyCompiler compiler) {
    return switch (compiler.compile("", "built-in", SchedulingPolicySpec.defaults())) {
      case PolicyCompilation.Compiled compiled -> compiled.policy();
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException("the built-in policy is broken: " + invalid.problems());
    };
  }

  /** Records that this replica's engine decides no more. */
  public synchronized void endTerm() {
    leading = false;
    entries.values().forEach(PolicyEntry::untaken);
  }

  /** Processes the complete current set of policies; unchanged ones are skipped. */
  public void update(List<PolicySource> sources) {
    Set<String> changed = new HashSet<>();
    synchronized (this) {
      Map<String, PolicySource> byName = new HashMap<>();
      sources.forEach(source -> byName.put(source.name(), source));
      for (String gone : List.copyOf(entries.keySet())) {
        if (!byName.containsKey(gone)) {
          entries.remove(gone);
          send(new ClusterEvent.PolicyRemoved(gone), receipt -> {});
          changed.add(gone);
        }
      }
      for (PolicySource source : byName.values()) {
        PolicyEntry entry = entries.get(source.name());
        if (entry == null || !entry.source().stamp().equals(source.stamp())) {
          take(entry, source);
          changed.add(source.name());
        }
      }
      changed.addAll(chooseDefault());
    }
    changed.forEach(onChange);
  }

  /** Returns the state of a policy; empty if there is none with that name. */
  public synchronized Optional<PolicyState> state(String name) {
    PolicyEntry entry = entries.get(name);
    if (entry == null) {
      return Optional.empty();
    }
    Optional<String> other =
        entry.source().isDefault()
            ? defaults().stream().filter(candidate -> !candidate.equals(name)).findFirst()
            : Optional.empty();
    return Optional.of(
        new PolicyState(
            name,
            entry.source().owner(),
            entry.source().revision(),
            entry.servingRevision(),
            entry.servingSince(),
            entry.problems(),
            defaultPolicy.equals(name),
            other));
  }

  /**
   * Returns whether the last complete revision of a policy whose change is rolled out is not known,
   * so that the stored ones have to be read.
   */
  public synchronized boolean lacksRevisions() {
    return entries.values().stream().anyMatch(PolicyEntry::lacksRevisions);
  }

  /** Returns whether the last complete revision of a policy is not known. */
  public synchronized boolean lacksRevisions(String name) {
    return Optional.ofNullable(entries.get(name)).filter(PolicyEntry::lacksRevisions).isPresent();
  }

  /** Returns the revision to store for a restart: the last one that compiled. */
  public synchronized Optional<GoodRevision> good(String name) {
    return Optional.ofNullable(entries.get(name)).flatMap(PolicyEntry::good);
  }

  /** Returns the last complete revision of a policy; empty if it is not known. */
  public synchronized Optional<SpecRevision> stable(String name) {
    return Optional.ofNullable(entries.get(name)).flatMap(PolicyEntry::stable);
  }

  /**
   * Returns whether a served revision has {@code sharedNodes: Verify}; an empty name stands for the
   * default policy.
   */
  public synchronized boolean verifiesSharedNodes(String name) {
    return Optional.ofNullable(entries.get(name.isEmpty() ? defaultPolicy : name)).stream()
        .flatMap(entry -> entry.specs().stream())
        .anyMatch(spec -> spec.sharedNodes() == SharedNodes.VERIFY);
  }

  /**
   * Returns the longest age of usage data that a policy accepts; empty if no policy uses measured
   * usage.
   */
  public synchronized Optional<Duration> usageMaxAge() {
    return entries.values().stream()
        .flatMap(PolicyEntry::served)
        .flatMap(policy -> policy.gaugedScores().stream())
        .filter(MostAvailable.class::isInstance)
        .map(score -> ((MostAvailable) score).maxAge())
        .max(Comparator.naturalOrder());
  }

  public synchronized Set<String> names() {
    return Set.copyOf(entries.keySet());
  }

  private void take(@Nullable PolicyEntry before, PolicySource source) {
    PolicyEntry entry = before == null ? new PolicyEntry(source, compiler) : before;
    entries.put(source.name(), entry);
    Optional<ClusterEvent.PolicyServed> last = entry.event();
    entry.take(source, kept.get(source.name()));
    if (!entry.problems().isEmpty()) {
      LogKeys.policy(source.name())
          .andCodes(entry.problems())
          .warn(LOG)
          .accept(
              "SchedulingPolicy %s, revision %s, is invalid: %s"
                  .formatted(
                      source.name(),
                      source.revision(),
                      entry.problems().stream().map(Problem::text).toList()));
    }
    if (entry.problems().isEmpty() || !last.equals(entry.event())) {
      serve(entry, last);
    }
  }

  private void resume(PolicyEntry entry) {
    Optional<ClusterEvent.PolicyServed> before = entry.event();
    storedFor(entry).ifPresent(entry::resume);
    if (!before.equals(entry.event())) {
      serve(entry, before);
    }
  }

  private Optional<GoodRevision> storedFor(PolicyEntry entry) {
    return Optional.ofNullable(kept.get(entry.source().name()));
  }

  /**
   * @param before what the engines serve
   */
  private void serve(PolicyEntry entry, Optional<ClusterEvent.PolicyServed> before) {
    Optional<ClusterEvent.PolicyServed> event = entry.event();
    if (event.isEmpty()) {
      if (before.isPresent()) {
        send(new ClusterEvent.PolicyRemoved(entry.source().name()), receipt -> {});
      }
      return;
    }
    CompiledPolicy policy = event.get().policy();
    send(event.get(), receipt -> took(policy, receipt));
    List<ClusterEvent.GaugeSeeded> modes = seeds.remove(policy.name());
    if (modes != null) {
      modes.forEach(mode -> send(mode, receipt -> {}));
    }
  }

  /** Records that the engine serves a revision; called on the engine's thread. */
  private void took(CompiledPolicy policy, EventReceipt receipt) {
    synchronized (this) {
      PolicyEntry entry = entries.get(policy.name());
      if (entry == null || !leading || !entry.took(policy, receipt.at())) {
        return;
      }
    }
    onChange.accept(policy.name());
  }

  /** Selects the default policy; returns the policies whose default status has changed. */
  private Set<String> chooseDefault() {
    String chosen = firstDefault();
    if (chosen.equals(defaultPolicy)) {
      return Set.of();
    }
    Set<String> changed = new HashSet<>(defaults());
    if (!defaultPolicy.isEmpty()) {
      changed.add(defaultPolicy);
    }
    defaultPolicy = chosen;
    send(new ClusterEvent.DefaultPolicyChanged(chosen), receipt -> {});
    return changed;
  }

  /**
   * Returns the first policy marked default that can serve; one that would leave its pods pending
   * forever is skipped.
   */
  private String firstDefault() {
    return byAge()
        .filter(entry -> entry.event().isPresent())
        .map(entry -> entry.source().name())
        .findFirst()
        .orElse("");
  }

  /** Returns the policies that are marked default, ordered by age, then by name. */
  private List<String> defaults() {
    return byAge().map(entry -> entry.source().name()).toList();
  }

  private Stream<PolicyEntry> byAge() {
    Comparator<PolicySource> age = Comparator.comparing(PolicySource::created);
    return entries.values().stream()
        .filter(entry -> entry.source().isDefault())
        .sorted(Comparator.comparing(PolicyEntry::source, age.thenComparing(PolicySource::name)));
  }

  private void send(ClusterEvent event, Consumer<EventReceipt> receipt) {
    engines.accept(event, receipt);
  }
}
