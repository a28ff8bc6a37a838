package io.berth.operator.schedule;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.api.GaugeReading;
import io.berth.operator.feed.EventReceipt;
import io.berth.operator.feed.Subscription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one source of what engines are fed: the objects of the cluster, the policies with the modes
 * of their gauges, the measured usage of nodes, and the placements whose Bindings are in flight.
 *
 * <p>Any number of engines can subscribe, at any time, on a leader or a standby. Each receives the
 * current state, and then every change: for each object in order, without gaps. A change that
 * happens while an engine subscribes may be sent twice. An engine that is rebuilt is sent the same
 * by {@link #replay}. Subscribers must not block. Thread-safe.
 */
public final class EngineFeed {

  private final Function<Consumer<ClusterEvent>, Subscription> subscribeToObjects;
  private final Consumer<Consumer<ClusterEvent>> replayObjects;

  // Guarded by this.
  private final Map<String, Served> policies = new LinkedHashMap<>();
  private final GaugeModes gauges = new GaugeModes();
  private final BindingsInFlight inFlight = new BindingsInFlight();
  private ClusterEvent.@Nullable DefaultPolicyChanged defaultPolicy;
  private ClusterEvent.@Nullable ServerVersionSeen serverVersion;
  private ClusterEvent.@Nullable UsageReported usage;

  /** Changed only while this is locked. */
  private final List<Member> members = new CopyOnWriteArrayList<>();

  /** An engine's inbox. */
  public interface Subscriber {
    /** Takes an event; must not block. */
    void post(ClusterEvent event);

    /** Takes an event, and calls back when the engine has processed it; must not block. */
    void post(ClusterEvent event, Consumer<EventReceipt> receipt);
  }

  private record Served(ClusterEvent.PolicyServed event, Consumer<EventReceipt> receipt) {}

  /** A subscriber, and whether it has been sent the complete current state. */
  private static final class Member {
    final Subscriber engine;
    boolean complete;

    Member(Subscriber engine) {
      this.engine = engine;
    }
  }

  /**
   * Creates a feed without policies.
   *
   * @param subscribeToObjects sends the events of all existing objects to a consumer, then those of
   *     every change
   * @param replayObjects sends the events of all existing objects to a consumer, once
   */
  public EngineFeed(
      Function<Consumer<ClusterEvent>, Subscription> subscribeToObjects,
      Consumer<Consumer<ClusterEvent>> replayObjects) {
    this.subscribeToObjects = subscribeToObjects;
    this.replayObjects = replayObjects;
  }

  /** Sends the current state to an engine, and then every change. */
  public Subscription subscribe(Subscriber engine) {
    Member member = new Member(engine);
    synchronized (this) {
      policies.values().forEach(served -> engine.post(served.event(), served.receipt()));
      replayRules(engine::post);
      members.add(member);
    }
    Subscription objects =
        subscribeToObjects.apply(
            event -> {
              note(event);
              engine.post(event);
            });
    synchronized (this) {
      // After the nodes and pods to which they refer.
      if (usage != null) {
        engine.post(usage);
      }
      inFlight.replay(engine::post);
      member.complete = true;
    }
    return () -> {
      objects.close();
      synchronized (this) {
        members.remove(member);
      }
    };
  }

  /**
   * Sends the current state to an engine that replaces another one, except for the Bindings in
   * flight: these the subscriber records itself, because it knows them by the order in which it has
   * processed events. Objects that change meanwhile may be sent in either state.
   */
  public void replay(Consumer<ClusterEvent> engine) {
    List<ClusterEvent> before = new ArrayList<>();
    synchronized (this) {
      policies.values().forEach(served -> before.add(served.event()));
      replayRules(before::add);
    }
    before.forEach(engine);
    replayObjects.accept(engine);
    ClusterEvent.UsageReported last;
    synchronized (this) {
      last = usage;
    }
    if (last != null) {
      engine.accept(last); // after the nodes to which it refers
    }
  }

  private void replayRules(Consumer<ClusterEvent> engine) {
    gauges.replay(engine);
    if (defaultPolicy != null) {
      engine.accept(defaultPolicy);
    }
    if (serverVersion != null) {
      engine.accept(serverVersion);
    }
  }

  /** Sends an event that is about no watched object to all engines. */
  public void publish(ClusterEvent event) {
    publish(event, receipt -> {}, engine -> engine.post(event));
  }

  /**
   * Sends an event that is about no watched object to all engines.
   *
   * @param receipt called by each engine that has processed the event, on its thread
   */
  public void publish(ClusterEvent event, Consumer<EventReceipt> receipt) {
    publish(event, receipt, engine -> engine.post(event, receipt));
  }

  private synchronized void publish(
      ClusterEvent event, Consumer<EventReceipt> receipt, Consumer<Subscriber> post) {
    boolean toAll = true;
    switch (event) {
      case ClusterEvent.PolicyServed served ->
          policies.put(served.policy().name(), new Served(served, receipt));
      case ClusterEvent.PolicyRemoved removed -> {
        policies.remove(removed.name());
        gauges.forget(removed.name());
      }
      case ClusterEvent.GaugeSeeded seeded -> gauges.put(seeded);
      case ClusterEvent.DefaultPolicyChanged changed -> defaultPolicy = changed;
      case ClusterEvent.ServerVersionSeen seen -> serverVersion = seen;
      case ClusterEvent.UsageReported reported -> {
        usage = reported;
        toAll = false;
      }
      // An engine that subscribes later lists the watched objects, and waits for no result.
      case ClusterEvent.BindingConfirmed _,
          ClusterEvent.BindingFailed _,
          ClusterEvent.PodUpserted _,
          ClusterEvent.PodRemoved _,
          ClusterEvent.EvictionFailed _,
          ClusterEvent.Advised _,
          ClusterEvent.PodAssumed _,
          ClusterEvent.NodeUpserted _,
          ClusterEvent.NodeRemoved _,
          ClusterEvent.NamespaceUpserted _,
          ClusterEvent.NamespaceRemoved _,
          ClusterEvent.WorkloadSelectorUpserted _,
          ClusterEvent.WorkloadSelectorRemoved _,
          ClusterEvent.GroupDialectServed _,
          ClusterEvent.PodGroupUpserted _,
          ClusterEvent.PodGroupRemoved _,
          ClusterEvent.BudgetUpserted _,
          ClusterEvent.BudgetRemoved _,
          ClusterEvent.PriorityClassUpserted _,
          ClusterEvent.PriorityClassRemoved _,
          ClusterEvent.QueueUpserted _,
          ClusterEvent.QueueRemoved _,
          ClusterEvent.QueueDialectServed _,
          ClusterEvent.StorageUpserted _,
          ClusterEvent.StorageRemoved _,
          ClusterEvent.DevicesServed _,
          ClusterEvent.DevicesUpserted _,
          ClusterEvent.DevicesRemoved _,
          ClusterEvent.Malformed _,
          ClusterEvent.Ignored _ -> {
        inFlight.note(event);
        toAll = false;
      }
    }
    for (Member member : members) {
      if (toAll || member.complete) {
        post.accept(member.engine);
      }
    }
  }

  /**
   * Records a placement whose Binding is sent now, and tells the other engines of it.
   *
   * @param decider the engine that has decided it
   */
  public synchronized void placed(Placed placed, Subscriber decider) {
    ClusterEvent assumed = inFlight.placed(placed);
    for (Member member : members) {
      if (member.complete && member.engine != decider) {
        member.engine.post(assumed);
      }
    }
  }

  /** Records the modes of the deciding engine's gauges, for engines that subscribe later. */
  public synchronized void gauged(List<GaugeReading> readings) {
    // The deciding engine may not know yet that a policy is gone.
    gauges.put(readings.stream().filter(read -> policies.containsKey(read.policy())).toList());
  }

  /**
   * Forgets what only a leader knows: the measured usage, and the Bindings in flight, whose results
   * are learned from the watches from now on.
   */
  public synchronized void termEnded() {
    usage = null;
    for (ClusterEvent failed : inFlight.abandon()) {
      members.forEach(member -> member.engine.post(failed));
    }
  }

  private synchronized void note(ClusterEvent event) {
    inFlight.note(event);
  }
}
