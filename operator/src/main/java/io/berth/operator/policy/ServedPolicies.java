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
import java.time.Duration;
import java.time.Instant;
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
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private Map<String, GoodRevision> kept = Map.of();
  private final Map<String, List<ClusterEvent.GaugeSeeded>> seeds = new HashMap<>();
  private String defaultPolicy = "";
  private boolean leading;
  private volatile Consumer<String> onChange = name -> {};

  /** The state of one policy. */
  private static final class Entry {
    PolicySource source;
    List<Problem> problems = List.of();
    @Nullable CompiledPolicy compiled;
    @Nullable GoodRevision good;
    @Nullable String servingRevision;
    @Nullable Instant servingSince;

    Entry(PolicySource source) {
      this.source = source;
    }
  }

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
      kept = Map.copyOf(good);
      seeds.clear();
      seeds.putAll(gauges);
      for (Entry entry : entries.values()) {
        entry.servingRevision = null;
        entry.servingSince = null;
        if (entry.compiled == null) {
          fallBack(entry);
        }
        serve(entry);
      }
      defaultPolicy = firstDefault();
      send(new ClusterEvent.DefaultPolicyChanged(defaultPolicy), receipt -> {});
    }
  }

  /** Makes policies that have nothing to serve fall back to their stored revision. */
  public void fallBackOn(Map<String, GoodRevision> good) {
    Set<String> changed;
    synchronized (this) {
      if (!leading) {
        return; // the term that requested them has ended
      }
      kept = Map.copyOf(good);
      for (Entry entry : entries.values()) {
        if (entry.compiled == null) {
          fallBack(entry);
          serve(entry);
        }
      }
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
    entries
        .values()
        .forEach(
            entry -> {
              entry.servingRevision = null;
              entry.servingSince = null;
            });
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
        Entry entry = entries.get(source.name());
        if (entry == null || !entry.source.stamp().equals(source.stamp())) {
          compile(entry, source);
          changed.add(source.name());
        }
      }
      changed.addAll(chooseDefault());
    }
    changed.forEach(onChange);
  }

  /** Returns the state of a policy; empty if there is none with that name. */
  public synchronized Optional<PolicyState> state(String name) {
    Entry entry = entries.get(name);
    if (entry == null) {
      return Optional.empty();
    }
    Optional<String> other =
        entry.source.isDefault()
            ? defaults().stream().filter(candidate -> !candidate.equals(name)).findFirst()
            : Optional.empty();
    return Optional.of(
        new PolicyState(
            name,
            entry.source.owner(),
            entry.source.revision(),
            Optional.ofNullable(entry.servingRevision),
            Optional.ofNullable(entry.servingSince),
            entry.problems,
            defaultPolicy.equals(name),
            other));
  }

  /** Returns the revision to store for a restart: the last one that compiled. */
  public synchronized Optional<GoodRevision> good(String name) {
    return Optional.ofNullable(entries.get(name)).map(entry -> entry.good);
  }

  /**
   * Returns whether the last good revision has {@code sharedNodes: Verify}; an empty name stands
   * for the default policy.
   */
  public synchronized boolean verifiesSharedNodes(String name) {
    Entry entry = entries.get(name.isEmpty() ? defaultPolicy : name);
    return entry != null
        && entry.good != null
        && entry.good.spec().sharedNodes() == SharedNodes.VERIFY;
  }

  /**
   * Returns the longest age of usage data that a policy accepts; empty if no policy uses measured
   * usage.
   */
  public synchronized Optional<Duration> usageMaxAge() {
    return entries.values().stream()
        .flatMap(entry -> Stream.ofNullable(entry.compiled))
        .flatMap(policy -> policy.gaugedScores().stream())
        .filter(MostAvailable.class::isInstance)
        .map(score -> ((MostAvailable) score).maxAge())
        .max(Comparator.naturalOrder());
  }

  public synchronized Set<String> names() {
    return Set.copyOf(entries.keySet());
  }

  private void compile(@Nullable Entry before, PolicySource source) {
    Entry entry = before == null ? new Entry(source) : before;
    entry.source = source;
    entries.put(source.name(), entry);
    CompiledSource compiled = CompiledSource.of(source, compiler);
    if (compiled.policy().isPresent()) {
      entry.problems = List.of();
      entry.compiled = compiled.policy().get();
      entry.good = new GoodRevision(source.revision(), source.spec().orElseThrow(), source.owner());
      serve(entry);
    } else {
      refuse(entry, compiled.problems());
    }
  }

  private void refuse(Entry entry, List<Problem> problems) {
    entry.problems = List.copyOf(problems);
    LogKeys.policy(entry.source.name())
        .warn(LOG)
        .accept(
            "SchedulingPolicy %s, revision %s, is invalid: %s"
                .formatted(
                    entry.source.name(),
                    entry.source.revision(),
                    problems.stream().map(Problem::text).toList()));
    if (entry.compiled == null) {
      fallBack(entry);
      serve(entry);
    }
  }

  /** Compiles the stored revision, if there is one. */
  private void fallBack(Entry entry) {
    GoodRevision good = kept.get(entry.source.name());
    if (good != null
        && good.owner().getUid().equals(entry.source.owner().getUid())
        && compiler.compile(entry.source.name(), good.revision(), good.spec())
            instanceof PolicyCompilation.Compiled(CompiledPolicy policy)) {
      entry.compiled = policy;
      entry.good = good;
    }
  }

  private void serve(Entry entry) {
    CompiledPolicy policy = entry.compiled;
    if (policy == null) {
      return;
    }
    send(new ClusterEvent.PolicyServed(policy), receipt -> took(policy, receipt));
    List<ClusterEvent.GaugeSeeded> modes = seeds.remove(policy.name());
    if (modes != null) {
      modes.forEach(mode -> send(mode, receipt -> {}));
    }
  }

  /** Records that the engine serves a revision; called on the engine's thread. */
  private void took(CompiledPolicy policy, EventReceipt receipt) {
    synchronized (this) {
      Entry entry = entries.get(policy.name());
      if (entry == null || !policy.equals(entry.compiled) || !leading) {
        return;
      }
      entry.servingRevision = policy.revision();
      entry.servingSince = receipt.at();
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
        .filter(entry -> entry.compiled != null)
        .map(entry -> entry.source.name())
        .findFirst()
        .orElse("");
  }

  /** Returns the policies that are marked default, ordered by age, then by name. */
  private List<String> defaults() {
    return byAge().map(entry -> entry.source.name()).toList();
  }

  private Stream<Entry> byAge() {
    Comparator<PolicySource> age = Comparator.comparing(PolicySource::created);
    return entries.values().stream()
        .filter(entry -> entry.source.isDefault())
        .sorted(Comparator.comparing(entry -> entry.source, age.thenComparing(PolicySource::name)));
  }

  private void send(ClusterEvent event, Consumer<EventReceipt> receipt) {
    engines.accept(event, receipt);
  }
}
