package io.berth.engine.policy;

import io.berth.engine.cards.CardRules;
import io.berth.engine.framework.Canary;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.GaugedScore;
import io.berth.engine.model.PodModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The served policies, each in one revision, or in two while a newer one places the pods of a part
 * of the workloads.
 */
public final class PolicyTable {
  /**
   * A served revision of a policy.
   *
   * @param serial differs between all revisions
   */
  public record Served(int serial, CompiledPolicy policy) {}

  /** The revision of a canary, and the pods that it places. */
  private record Newer(Served served, Canary canary) {}

  /** The served revisions of a policy. */
  private record Revisions(Served current, @Nullable Newer newer) {
    Served of(PodModel pod) {
      return newer != null && newer.canary().includes(pod) ? newer.served() : current;
    }

    List<Served> all() {
      return newer == null ? List.of(current) : List.of(current, newer.served());
    }
  }

  private final Map<String, Revisions> byName = new TreeMap<>();

  /** One filter for each name, from any policy. */
  private final Map<String, FilterPlugin> filters = new HashMap<>();

  private String defaultName = "";
  private int serials;
  private boolean hasShadows;

  /** Starts to serve a revision, and a newer one for a part of the pods; returns the previous. */
  public List<Served> serve(CompiledPolicy policy, Optional<Canary> canary) {
    Served current = served(policy);
    @Nullable Newer newer = canary.map(next -> new Newer(served(next.policy()), next)).orElse(null);
    @Nullable Revisions before = byName.put(policy.name(), new Revisions(current, newer));
    lookForShadows();
    return before == null ? List.of() : before.all();
  }

  private Served served(CompiledPolicy policy) {
    policy.filters().forEach(filter -> filters.put(filter.name(), filter));
    return new Served(serials++, policy);
  }

  private void lookForShadows() {
    hasShadows =
        byName.values().stream().anyMatch(it -> it.current().policy().shadow().isPresent());
  }

  /** Returns whether any served policy has a shadow. */
  public boolean hasShadows() {
    return hasShadows;
  }

  /** Serves all policies as new revisions with the same content; returns the previous ones. */
  public List<Served> renew() {
    List<Served> before = new ArrayList<>();
    byName.replaceAll(
        (name, revisions) -> {
          before.addAll(revisions.all());
          @Nullable Newer newer = revisions.newer();
          return new Revisions(
              new Served(serials++, revisions.current().policy()),
              newer == null
                  ? null
                  : new Newer(new Served(serials++, newer.served().policy()), newer.canary()));
        });
    return before;
  }

  /** Stops serving the policy; returns the last revisions. */
  public List<Served> remove(String name) {
    @Nullable Revisions last = byName.remove(name);
    lookForShadows();
    return last == null ? List.of() : last.all();
  }

  /** Sets the policy for pods that do not reference one; empty for none. */
  public void setDefault(String name) {
    defaultName = name;
  }

  /** Returns the name of the policy for a pod that references this one, or none. */
  public String nameFor(String named) {
    return named.isEmpty() ? defaultName : named;
  }

  /** Returns a filter with this name and the arguments from any one of the policies. */
  public Optional<FilterPlugin> filterNamed(String name) {
    return Optional.ofNullable(filters.get(name));
  }

  /** Returns the policy's scores that read gauges; none if it is not served. */
  public List<GaugedScore> gaugedScores(String name) {
    return find(name).map(served -> served.policy().gaugedScores()).orElse(List.of());
  }

  /** Returns the names of the served policies. */
  public Set<String> names() {
    return byName.keySet();
  }

  /** Returns the GPU card rules for a pod. */
  public CardRules cardRules(PodModel pod) {
    return find(pod).map(served -> served.policy().cards()).orElse(CardRules.defaults());
  }

  /** Returns the revision of the policy that places a pod; empty if it is not served. */
  public String revisionFor(PodModel pod) {
    return find(pod).map(served -> served.policy().revision()).orElse("");
  }

  /** Returns the served policy with this name, in the revision that places most pods. */
  public Optional<Served> find(String name) {
    return Optional.ofNullable(byName.get(name)).map(Revisions::current);
  }

  /** Returns the served policy with this name, in the revision that places this pod. */
  public Optional<Served> find(String name, PodModel pod) {
    return Optional.ofNullable(byName.get(name)).map(revisions -> revisions.of(pod));
  }

  /** Returns the revision of the policy that places this pod. */
  public Optional<Served> find(PodModel pod) {
    return find(nameFor(pod.policy()), pod);
  }
}
