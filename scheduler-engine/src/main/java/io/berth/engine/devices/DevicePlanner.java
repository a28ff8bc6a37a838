package io.berth.engine.devices;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.ResourceAmounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Plans the devices of a pod's claims on nodes, in the current state. */
public final class DevicePlanner {
  /** The reason for a node that a claim's devices do not allow. */
  public static final String NOT_AVAILABLE = "resourceclaim not available on the node";

  /** The greatest score of a request: that of its best alternative. */
  private static final int BEST_ALTERNATIVE = 8;

  /** The number of devices that a search may look at on one node of a small cluster. */
  private static final long MOST_STEPS = 200_000;

  /** The same for a search by preference, after which kube-scheduler's order is used instead. */
  private static final long MOST_STEPS_BY_PREFERENCE = 20_000;

  /**
   * The result for one node.
   *
   * @param refusal the reason why the claims cannot be allocated there; absent if they can
   * @param claims the claims that get devices, in order
   * @param allocations their devices
   * @param extended what the claim for extended resources asks for, which is the last one; absent
   *     if there is none
   * @param score the sum over all requests with alternatives: the better the alternative, the more
   */
  public record Plan(
      Optional<DeviceOutcome.Refused> refusal,
      List<Integer> claims,
      List<DeviceAllocation> allocations,
      Optional<ClaimAllocation.ExtendedClaim> extended,
      int score) {
    static Plan refused(DeviceOutcome.Refused refusal) {
      return new Plan(Optional.of(refusal), List.of(), List.of(), Optional.empty(), 0);
    }
  }

  /**
   * One of the pod's claims.
   *
   * @param object the claim, unless it is described by its content
   * @param chosen what was chosen for it when the planner was created
   */
  private record Claim(
      String fullName, String name, ClaimSpec spec, Optional<DeviceClaim> object, Chosen chosen) {
    Optional<DeviceAllocation> allocation() {
      return object.flatMap(DeviceClaim::allocation).or(chosen::inAttempt);
    }
  }

  /**
   * The devices that are chosen for a claim and that it does not show yet.
   *
   * @param inAllocation whether they were chosen in another attempt
   * @param inAttempt those of the same attempt
   */
  private record Chosen(boolean inAllocation, Optional<DeviceAllocation> inAttempt) {
    static final Chosen NOTHING = new Chosen(false, Optional.empty());
  }

  private static final Plan NOTHING =
      new Plan(Optional.empty(), List.of(), List.of(), Optional.empty(), 0);

  private final String namespace;
  private final PodDevices pod;
  private final DeviceTable table;
  private final ExtendedRequests extended;
  private final boolean needsExtended;
  private final List<Claim> claims = new ArrayList<>();
  private final Optional<DeviceOutcome.Refused> problem;
  private final long version;
  private final long classesVersion;
  private final long expirations;
  private long steps;

  /**
   * @param asked the resources that the pod requests
   */
  public DevicePlanner(String namespace, PodDevices pod, ResourceAmounts asked, DeviceTable table) {
    this.namespace = namespace;
    this.pod = pod;
    this.table = table;
    this.extended = new ExtendedRequests(pod, asked, table.classes());
    this.needsExtended = !pod.containers().isEmpty() && extended.areServed();
    this.version = table.version();
    this.classesVersion = table.classes().version();
    this.expirations = table.expirations();
    this.problem = findClaims().or(this::unusableClaim);
  }

  /** Returns the reason why the pod cannot be placed on any node at this time. */
  public Optional<DeviceOutcome.Refused> problem() {
    return problem;
  }

  /** Returns whether every node is fine, because there is nothing to allocate or to reach. */
  public boolean needsNothing() {
    return problem.isEmpty() && claims.isEmpty() && !needsExtended;
  }

  /**
   * Returns the steps so far: the devices that were looked at, and the parts of their selectors
   * that were evaluated.
   */
  public long steps() {
    return steps;
  }

  /** Returns whether the claims and classes that it was created from have changed. */
  public boolean isOutdated() {
    if (classesVersion != table.classes().version()
        || expirations != table.expirations()
        || (problem.isPresent() && version != table.version())) {
      return true;
    }
    for (Claim claim : claims) {
      if (claim.object().isPresent()
          && (!table.claim(namespace, claim.name()).equals(claim.object())
              || !chosenFor(claim.name()).equals(claim.chosen()))) {
        return true;
      }
    }
    return false;
  }

  private Chosen chosenFor(String claim) {
    return new Chosen(
        table.isBeingAllocated(namespace, claim), table.chosenInAttempt(namespace, claim));
  }

  // ---------------------------------------------------------------------------------- claims

  private Optional<DeviceOutcome.Refused> findClaims() {
    for (PodClaim claim : pod.claims()) {
      Optional<String> missing =
          switch (claim) {
            case PodClaim.Named(String name) -> find(name).or(() -> add(name));
            case PodClaim.FromTemplate(String name, var owner) ->
                find(name)
                    .or(
                        () ->
                            object(name).controllerUid().equals(owner.uid())
                                ? add(name)
                                : Optional.of(
                                    "ResourceClaim %s/%s was not created for Pod %s/%s (Pod is not owner)"
                                        .formatted(
                                            namespace, name, owner.namespace(), owner.name())));
            case PodClaim.Awaited(var owner) ->
                Optional.of(
                    "pod \"%s/%s\": ResourceClaim not created yet"
                        .formatted(owner.namespace(), owner.name()));
            case PodClaim.Unknown(String name, var in) ->
                Optional.of(
                    "pod \"%s/%s\", spec.resourceClaim \"%s\": none of the supported fields are set"
                        .formatted(in.namespace(), in.name(), name));
            case DescribedClaim(ClaimSpec spec) -> {
              String name = ClaimPlaceholder.of(claims.size());
              claims.add(
                  new Claim(namespace + "/" + name, name, spec, Optional.empty(), Chosen.NOTHING));
              yield Optional.empty();
            }
            default -> throw new IllegalArgumentException("unknown claim " + claim);
          };
      if (missing.isPresent()) {
        claims.clear();
        return Optional.of(new DeviceOutcome.Refused(missing.get(), false));
      }
    }
    return Optional.empty();
  }

  private DeviceClaim object(String name) {
    return table.claim(namespace, name).orElseThrow();
  }

  private Optional<String> find(String name) {
    Optional<DeviceClaim> claim = table.claim(namespace, name);
    if (claim.isEmpty() && !table.isServed()) {
      return Optional.of(
          "the API server does not serve resource claims (resource.k8s.io/v1): they need Kubernetes"
              + " 1.34 or later");
    }
    if (claim.isEmpty()) {
      return Optional.of("could not find ResourceClaim \"%s/%s\"".formatted(namespace, name));
    }
    return claim.get().deleting()
        ? Optional.of("resourceclaim \"%s\" is being deleted".formatted(name))
        : Optional.empty();
  }

  private Optional<String> add(String name) {
    DeviceClaim claim = object(name);
    claims.add(
        new Claim(claim.fullName(), name, claim.spec(), Optional.of(claim), chosenFor(name)));
    return Optional.empty();
  }

  private Optional<DeviceOutcome.Refused> unusableClaim() {
    for (Claim claim : claims) {
      if (claim.allocation().isPresent()) {
        continue;
      }
      if (claim.chosen().inAllocation()) {
        return Optional.of(
            new DeviceOutcome.Refused(
                "resource claim %s is in the process of being allocated"
                    .formatted(claim.fullName()),
                false));
      }
      for (DeviceRequest request : claim.spec().requests()) {
        Optional<DeviceOutcome.Refused> refusal = unusable(claim, request);
        if (refusal.isPresent()) {
          return refusal;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<DeviceOutcome.Refused> unusable(Claim claim, DeviceRequest request) {
    if (request.asks().isEmpty()) {
      return Optional.of(
          new DeviceOutcome.Refused(
              "resource claim %s, request %s: unknown request type"
                  .formatted(claim.fullName(), request.name()),
              false));
    }
    for (DeviceAsk ask : request.asks()) {
      String name = request.nameOf(ask);
      if (ask.className().isEmpty()) {
        return Optional.of(
            new DeviceOutcome.Refused("request " + name + ": unsupported request type", true));
      }
      if (table.classes().named(ask.className()).isEmpty()) {
        return Optional.of(
            new DeviceOutcome.Refused(
                "request %s: device class %s does not exist".formatted(name, ask.className()),
                false));
      }
    }
    return Optional.empty();
  }

  // ---------------------------------------------------------------------------------- nodes

  /** Returns the plan for a node, with the devices that kube-scheduler would choose. */
  public Plan planFor(NodeModel node) {
    return planFor(node, Optional.empty());
  }

  /**
   * Returns the plan for a node. Whether there is one does not depend on the preference: where the
   * search by preference ends without one, the devices are chosen as by kube-scheduler.
   */
  public Plan planFor(NodeModel node, Optional<DevicePreference> preference) {
    if (problem.isPresent()) {
      return Plan.refused(problem.get());
    }
    Optional<ClaimAllocation.ExtendedClaim> ofNode = Optional.empty();
    if (needsExtended) {
      if (extended.lackAny(node)) {
        return Plan.refused(new DeviceOutcome.Refused("cannot fit resource", false));
      }
      var served = extended.servedOn(node);
      if (served.isEmpty() && claims.isEmpty()) {
        return NOTHING;
      }
      ofNode = Optional.of(extended.of(served));
    }
    boolean available = claims.stream().allMatch(claim -> isAvailable(claim, node));
    List<Integer> unallocated = new ArrayList<>();
    List<ClaimToAllocate> toAllocate = new ArrayList<>();
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      if (claim.allocation().isEmpty()) {
        unallocated.add(i);
        toAllocate.add(new ClaimToAllocate(claim.fullName(), claim.name(), claim.spec()));
      }
    }
    if (ofNode.isPresent()) {
      toAllocate.add(
          new ClaimToAllocate(
              namespace + "/<extended-resources>",
              "<extended-resources>",
              ClaimSpec.of(ofNode.get().requests())));
    }
    List<DeviceAllocation> allocations = List.of();
    if (!toAllocate.isEmpty()) {
      switch (search(node, toAllocate, preference)) {
        case DeviceOutcome.Refused refusal -> {
          return Plan.refused(refusal);
        }
        case DeviceOutcome.Allocated(List<DeviceAllocation> found) -> allocations = found;
      }
    }
    if (!available) {
      return Plan.refused(new DeviceOutcome.Refused(NOT_AVAILABLE, false));
    }
    return new Plan(
        Optional.empty(),
        unallocated,
        allocations,
        ofNode,
        toAllocate.isEmpty() ? 0 : score(unallocated, allocations));
  }

  private DeviceOutcome search(
      NodeModel node, List<ClaimToAllocate> toAllocate, Optional<DevicePreference> preference) {
    long most = Math.min(MOST_STEPS, table.mostSearchSteps());
    if (preference.isPresent()) {
      DeviceOutcome preferred =
          search(node, toAllocate, preference, Math.min(most, MOST_STEPS_BY_PREFERENCE));
      if (preferred instanceof DeviceOutcome.Allocated) {
        return preferred;
      }
    }
    return search(node, toAllocate, Optional.empty(), most);
  }

  private DeviceOutcome search(
      NodeModel node,
      List<ClaimToAllocate> toAllocate,
      Optional<DevicePreference> preference,
      long most) {
    long costBefore = table.selectors().cost();
    DeviceSearch search = new DeviceSearch(table.on(node), table, toAllocate, preference, most);
    DeviceOutcome outcome = search.run();
    steps += search.steps() + table.selectors().cost() - costBefore;
    return outcome;
  }

  private boolean isAvailable(Claim claim, NodeModel node) {
    if (claim.allocation().isEmpty()) {
      return true;
    }
    return claim.allocation().get().reaches(node) && table.isUsable(claim.object().orElseThrow());
  }

  private int score(List<Integer> unallocated, List<DeviceAllocation> allocations) {
    int score = 0;
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      int at = unallocated.indexOf(i);
      DeviceAllocation allocation =
          at >= 0 ? allocations.get(at) : claim.allocation().orElseThrow();
      for (DeviceRequest request : claim.spec().requests()) {
        for (int sub = 0; request.prioritized() && sub < request.asks().size(); sub++) {
          String name = request.nameOf(request.asks().get(sub));
          if (allocation.results().stream().anyMatch(of -> of.request().equals(name))) {
            score += BEST_ALTERNATIVE - sub;
          }
        }
      }
    }
    return score;
  }

  /** Returns whether the score of nodes may differ. */
  public boolean scores() {
    return claims.stream()
        .flatMap(claim -> claim.spec().requests().stream())
        .anyMatch(DeviceRequest::prioritized);
  }

  /**
   * Returns the steps that write a plan for a pod and reserve its other claims. A claim that an
   * earlier attempt has reserved has a step, too: its devices may still have to be prepared, and
   * that attempt may have ended before it saw that another scheduler had given them away.
   *
   * @param podUid the UID of the pod
   */
  public List<ClaimAllocation> steps(Plan plan, String podUid) {
    List<ClaimAllocation> steps = new ArrayList<>();
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      DeviceClaim object = claim.object().orElseThrow();
      int at = plan.claims().indexOf(i);
      if (at >= 0) {
        steps.add(
            new ClaimAllocation(
                namespace,
                claim.name(),
                object.uid(),
                Optional.of(ShareIds.in(plan.allocations().get(at), object.uid())),
                Optional.empty()));
      } else {
        // What was chosen in the same attempt is written with whichever pod comes first.
        Optional<DeviceAllocation> unwritten =
            object.allocation().isPresent() ? Optional.empty() : claim.chosen().inAttempt();
        steps.add(
            new ClaimAllocation(
                namespace, claim.name(), object.uid(), unwritten, Optional.empty()));
      }
    }
    if (plan.extended().isPresent() && !plan.extended().get().requests().isEmpty()) {
      steps.add(
          new ClaimAllocation(
              namespace,
              "",
              "",
              Optional.of(ShareIds.in(plan.allocations().getLast(), "extended of " + podUid)),
              plan.extended()));
    }
    return steps;
  }
}
