package io.berth.engine.devices;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The search for devices of one node for the claims of a pod: depth first, and the first solution
 * counts. It visits claims, requests, alternatives, and devices in kube-scheduler's order, because
 * users see which devices they get; with a preference, it visits the preferred devices first.
 */
final class DeviceSearch {
  private static final int[] NONE = {};

  /** The number of devices in an allocation. */
  static final int MOST_RESULTS = 32;

  /** The result of a part of the search. */
  private enum Step {
    /** All devices are chosen. */
    DONE,
    /** There is no solution with what was chosen so far. */
    STUCK,
    /** As STUCK, because the claim would get too many devices. */
    TOO_MANY,
    /** The search cannot go on. */
    FAILED
  }

  private final NodeDevices node;
  private final DeviceTable table;
  private final List<ClaimToAllocate> claims;
  private final AskedDevices[][][] asked;
  private final int[][] selected;
  private final List<List<ClaimConstraint>> constraints = new ArrayList<>();
  private final List<List<ChosenDevice>> chosen = new ArrayList<>();

  /** The claims that hold each device in this search. */
  private final Map<Integer, BitSet> holders = new HashMap<>();

  private final Map<Integer, Map<String, BigDecimal>> capacity = new HashMap<>();
  private final ChosenCounters counters = new ChosenCounters();
  private final Optional<DevicePreference> preference;
  private final long limit;
  private long steps;
  private Optional<DeviceOutcome> failure = Optional.empty();

  /**
   * @param preference the order of the devices that a request can get; absent for kube-scheduler's
   * @param limit the number of steps: each choice that the search begins, and each device that it
   *     looks at for a request
   */
  DeviceSearch(
      NodeDevices node,
      DeviceTable table,
      List<ClaimToAllocate> claims,
      Optional<DevicePreference> preference,
      long limit) {
    this.node = node;
    this.table = table;
    this.claims = claims;
    this.preference = preference;
    this.limit = limit;
    this.asked = new AskedDevices[claims.size()][][];
    this.selected = new int[claims.size()][];
  }

  /** Returns the number of steps that were made. */
  long steps() {
    return steps;
  }

  DeviceOutcome run() {
    for (int claim = 0; claim < claims.size(); claim++) {
      if (!prepare(claim)) {
        return failure.orElseThrow();
      }
    }
    Step step = next(0, 0, 0, 0, false, 0, NONE);
    if (failure.isPresent()) {
      return failure.get();
    }
    if (step != Step.DONE) {
      return node.hasInvalidPool()
          ? DeviceOutcome.unresolvable("invalid resource pools were encountered")
          : DeviceOutcome.unresolvable(DeviceOutcome.NONE_FREE);
    }
    return new AllocationWriter(node, claims, asked, selected, chosen).write();
  }

  // ---------------------------------------------------------------------------------- preparing

  private boolean prepare(int claim) {
    ClaimSpec spec = claims.get(claim).spec();
    asked[claim] = new AskedDevices[spec.requests().size()][];
    selected[claim] = new int[spec.requests().size()];
    long least = 0;
    for (int request = 0; request < spec.requests().size(); request++) {
      DeviceRequest of = spec.requests().get(request);
      asked[claim][request] = new AskedDevices[of.asks().size()];
      long leastOfRequest = Long.MAX_VALUE;
      for (int sub = 0; sub < of.asks().size(); sub++) {
        AskedDevices asks = prepare(claim, of, of.asks().get(sub));
        if (failure.isPresent()) {
          return false;
        }
        asked[claim][request][sub] = asks;
        leastOfRequest = Math.min(leastOfRequest, asks.count());
      }
      long sum = least + leastOfRequest;
      least = sum < 0 ? Long.MAX_VALUE : sum;
    }
    if (least > MOST_RESULTS) {
      return fail(
          "claim %s: number of requested devices %d exceeds the claim limit of %d"
              .formatted(claims.get(claim).fullName(), least, MOST_RESULTS));
    }
    List<ClaimConstraint> ofClaim = new ArrayList<>();
    for (int i = 0; i < spec.constraints().size(); i++) {
      DeviceConstraint constraint = spec.constraints().get(i);
      if (constraint.kind() == DeviceConstraint.Kind.UNKNOWN) {
        return fail(
            "claim %s, constraint #%d: empty constraint (unsupported constraint type?)"
                .formatted(claims.get(claim).fullName(), i));
      }
      ofClaim.add(new ClaimConstraint(constraint));
    }
    constraints.add(ofClaim);
    chosen.add(new ArrayList<>());
    return true;
  }

  private AskedDevices prepare(int claim, DeviceRequest request, DeviceAsk ask) {
    Optional<DeviceClass> found = table.classes().named(ask.className());
    AskedDevices asks =
        new AskedDevices(request, ask, found.orElseGet(() -> absentClass(ask.className())));
    String where = "claim %s, request %s".formatted(claims.get(claim).fullName(), ask.name());
    for (int i = 0; i < ask.selectors().size(); i++) {
      if (ask.selectors().get(i).isEmpty()) {
        fail(where + ", selector #" + i + ": CEL expression empty (unsupported selector type?)");
        return asks;
      }
    }
    if (ask.className().isEmpty()) {
      fail(where + ": missing device class name (unsupported request type?)");
    } else if (found.isEmpty()) {
      fail(
          where
              + ": could not retrieve device class %s: deviceclass.resource.k8s.io \"%s\" not found"
                  .formatted(ask.className(), ask.className()));
    } else if (ask.wantsAll()) {
      findAll(claim, asks, where);
    } else if (!ask.mode().equals(DeviceAsk.EXACT_COUNT)) {
      fail(where + ": unsupported count mode " + ask.mode());
    }
    return asks;
  }

  private static DeviceClass absentClass(String name) {
    return new DeviceClass(name, java.time.Instant.EPOCH, List.of(), List.of(), Optional.empty());
  }

  private void findAll(int claim, AskedDevices asks, String where) {
    List<Integer> all = new ArrayList<>();
    for (int pool = 0; pool < node.pools().size(); pool++) {
      PoolOnNode of = node.pools().get(pool);
      if (!of.isUsable()) {
        fail(
            where
                + ": asks for all devices, but resource pool "
                + of.id()
                + (of.state() == PoolOnNode.State.INCOMPLETE
                    ? " is currently being updated"
                    : " is currently invalid"));
        return;
      }
      for (int device = node.firstOf(pool); device < node.firstOf(pool + 1); device++) {
        if (isTooLong()) {
          return;
        }
        if (isSelectable(claim, asks, device)) {
          if (hasCapacity(asks, device)) {
            all.add(device);
          }
        } else if (failure.isPresent()) {
          return;
        }
      }
    }
    asks.setAll(all.stream().mapToInt(Integer::intValue).toArray());
  }

  private boolean fail(String message) {
    failure = Optional.of(DeviceOutcome.error(message));
    return false;
  }

  // ---------------------------------------------------------------------------------- searching

  /**
   * Chooses the next device, and all that follow.
   *
   * @param sub the alternative of the request
   * @param device the index of the device among those of the request
   * @param ofAlternative whether the alternative is given, and not to be chosen
   * @param from the number of the first device to try: the devices of a request are chosen in
   *     ascending order
   * @param rest with a preference, the devices that the request may still get, unless this is its
   *     first one
   */
  private Step next(
      int claim, int request, int sub, int device, boolean ofAlternative, int from, int[] rest) {
    if (claim >= claims.size()) {
      return Step.DONE;
    }
    if (isTooLong()) {
      return Step.FAILED;
    }
    if (request >= asked[claim].length) {
      Step step = next(claim + 1, 0, 0, 0, false, 0, NONE);
      return step == Step.TOO_MANY ? Step.STUCK : step;
    }
    AskedDevices asks = asked[claim][request][sub];
    if (!ofAlternative && asks.request().prioritized()) {
      return anyAlternative(claim, request);
    }
    boolean all = asks.ask().wantsAll();
    if (all && asks.count() == 0) {
      return Step.STUCK;
    }
    if (device >= asks.count()) {
      return next(claim, request + 1, 0, 0, false, 0, NONE);
    }
    if (chosen.get(claim).size() + asks.count() - device > MOST_RESULTS) {
      return Step.TOO_MANY;
    }
    if (all) {
      return tryDevice(claim, request, sub, device, ofAlternative, asks.all(device), true, NONE);
    }
    if (preference.isPresent()) {
      return nextPreferred(claim, request, sub, device, ofAlternative, rest);
    }
    for (int candidate = from; candidate < node.size(); candidate++) {
      if (isTooLong()) {
        return Step.FAILED;
      }
      if (!isUsable(claim, asks, candidate)) {
        if (failure.isPresent()) {
          return Step.FAILED;
        }
        continue;
      }
      Step step = tryDevice(claim, request, sub, device, ofAlternative, candidate, false, NONE);
      if (step != Step.STUCK) {
        return step;
      }
    }
    return Step.STUCK;
  }

  /** Counts a step; returns whether there were too many, which is a failure. */
  private boolean isTooLong() {
    if (++steps <= limit) {
      return false;
    }
    failure =
        Optional.of(
            DeviceOutcome.unresolvable(
                "gave up after looking at %,d devices: the claims are too complex"
                    .formatted(limit)));
    return true;
  }

  /**
   * Chooses the next device by preference. A device that was tried is not tried again for a later
   * one of the same request, so that each set of devices is tried once.
   */
  private Step nextPreferred(
      int claim, int request, int sub, int device, boolean ofAlternative, int[] rest) {
    AskedDevices asks = asked[claim][request][sub];
    DevicePreference by = preference.orElseThrow();
    int[] candidates =
        Arrays.stream(device == 0 ? IntStream.range(0, node.size()).toArray() : rest)
            .filter(
                candidate -> failure.isEmpty() && !isTooLong() && isFree(claim, asks, candidate))
            .toArray();
    if (failure.isPresent()) {
      return Step.FAILED;
    }
    int[] sorted =
        device > 0 && by.keepsOrder(asks, candidates)
            ? candidates
            : by.sorted(asks, asks.count() - device, candidates, ChosenParts.of(chosen));
    for (int i = 0; i < sorted.length; i++) {
      if (isTooLong()) {
        return Step.FAILED;
      }
      int[] after = Arrays.copyOfRange(sorted, i + 1, sorted.length);
      Step step = tryDevice(claim, request, sub, device, ofAlternative, sorted[i], false, after);
      if (step != Step.STUCK) {
        return step;
      }
    }
    return Step.STUCK;
  }

  /** Returns whether a device is usable, tolerated, and has its counters left. */
  private boolean isFree(int claim, AskedDevices asks, int candidate) {
    Device device = node.device(candidate).device();
    if (!isUsable(claim, asks, candidate) || !isTolerated(device, asks.ask())) {
      return false;
    }
    if (device.shared() || device.uses().isEmpty()) {
      return true;
    }
    boolean fits = counters.choose(node.poolOf(candidate), device);
    if (fits) {
      counters.giveBack(node.poolOf(candidate), device);
    }
    return fits;
  }

  private Step anyAlternative(int claim, int request) {
    boolean allTooMany = true;
    for (int sub = 0; sub < asked[claim][request].length; sub++) {
      Step step = next(claim, request, sub, 0, true, 0, NONE);
      if (step == Step.DONE) {
        selected[claim][request] = sub;
      }
      if (step == Step.DONE || step == Step.FAILED) {
        return step;
      }
      allTooMany &= step == Step.TOO_MANY;
    }
    return allTooMany ? Step.TOO_MANY : Step.STUCK;
  }

  private Step tryDevice(
      int claim,
      int request,
      int sub,
      int device,
      boolean ofAlternative,
      int candidate,
      boolean must,
      int[] rest) {
    AskedDevices asks = asked[claim][request][sub];
    if (!choose(claim, asks, candidate, must)) {
      return failure.isPresent() ? Step.FAILED : Step.STUCK;
    }
    Step step =
        next(claim, request, sub, device + 1, ofAlternative, must ? 0 : candidate + 1, rest);
    if (step != Step.DONE) {
      putBack(claim, asks, candidate);
    }
    return step;
  }

  private boolean isUsable(int claim, AskedDevices asks, int candidate) {
    if (asks.ask().adminAccess() ? isHeldBy(candidate, claim) : isTaken(candidate)) {
      return false;
    }
    return isSelectable(claim, asks, candidate) && hasCapacity(asks, candidate);
  }

  private boolean isHeldBy(int device, int claim) {
    BitSet of = holders.get(device);
    return of != null && of.get(claim);
  }

  private boolean isTaken(int device) {
    BitSet of = holders.get(device);
    return node.device(device).use().isTaken() || (of != null && !of.isEmpty());
  }

  private boolean isSelectable(int claim, AskedDevices asks, int device) {
    KnownDevice known = node.device(device);
    return selects("class " + asks.deviceClass().name(), asks.deviceClass().selectors(), known)
        && selects(claims.get(claim).fullName(), asks.ask().selectors(), known, "claim ")
        && node.reaches(device)
        && isSupported(claim, known);
  }

  private boolean isSupported(int claim, KnownDevice device) {
    return !device.device().takesNodeResources()
        || fail(
            "claim %s: device %s takes resources of its node (nodeAllocatableResources), which is not supported"
                .formatted(claims.get(claim).fullName(), device.id()));
  }

  private boolean selects(String owner, List<String> selectors, KnownDevice device) {
    return selects(owner, selectors, device, "");
  }

  private boolean selects(String owner, List<String> selectors, KnownDevice device, String prefix) {
    for (int i = 0; i < selectors.size(); i++) {
      SelectorCompiler.Result result = table.selectors().evaluate(selectors.get(i), device);
      switch (result) {
        case SelectorCompiler.Truth(boolean value) -> {
          if (!value) {
            return false;
          }
        }
        case SelectorCompiler.Failed(String message) -> {
          return fail(prefix + owner + ": selector #" + i + ": " + message);
        }
      }
    }
    return true;
  }

  private boolean hasCapacity(AskedDevices asks, int device) {
    KnownDevice known = node.device(device);
    return (known.device().capacity().isEmpty() && asks.ask().capacity().isEmpty())
        || RequestedCapacity.fits(
            known.device(),
            asks.ask().capacity(),
            known.use().consumed(),
            capacity.getOrDefault(device, Map.of()));
  }

  /**
   * Chooses a device. Like kube-scheduler, it keeps the counters of a device that a taint or a
   * constraint rules out, and the constraints' memory of one without enough capacity.
   *
   * @param must whether the request is for exactly this device
   */
  private boolean choose(int claim, AskedDevices asks, int candidate, boolean must) {
    KnownDevice known = node.device(candidate);
    Device device = known.device();
    boolean admin = asks.ask().adminAccess();
    if (!device.shared() && admin && isHeldBy(candidate, claim)) {
      return false;
    }
    if (!admin && isTaken(candidate)) {
      return false;
    }
    boolean inUse =
        device.shared() && (known.use().isConsumed() || capacity.containsKey(candidate));
    if (!inUse && !device.uses().isEmpty() && !counters.choose(node.poolOf(candidate), device)) {
      return false;
    }
    if (!isTolerated(device, asks.ask())) {
      return false;
    }
    List<ClaimConstraint> ofClaim = constraints.get(claim);
    for (int i = 0; i < ofClaim.size(); i++) {
      if (!ofClaim.get(i).add(asks.request().name(), asks.subrequest(), known)) {
        if (must) {
          return fail(
              "claim %s, request %s: cannot add device %s because a claim constraint would not be satisfied"
                  .formatted(claims.get(claim).fullName(), asks.ask().name(), known.id()));
        }
        for (int added = 0; added < i; added++) {
          ofClaim.get(added).remove(asks.request().name(), asks.subrequest());
        }
        return false;
      }
    }
    if (!device.shared()) {
      holders.computeIfAbsent(candidate, absent -> new BitSet()).set(claim);
    }
    if (!hasCapacity(asks, candidate)) {
      return false;
    }
    Map<String, BigDecimal> consumed = Map.of();
    if (device.shared()) {
      consumed = RequestedCapacity.of(device, asks.ask().capacity());
      Map<String, BigDecimal> sums = capacity.computeIfAbsent(candidate, absent -> new HashMap<>());
      consumed.forEach((name, amount) -> sums.merge(name, amount, BigDecimal::add));
    }
    chosen.get(claim).add(new ChosenDevice(asks, candidate, consumed));
    return true;
  }

  private static boolean isTolerated(Device device, DeviceAsk ask) {
    for (DeviceTaint taint : device.taints()) {
      if (taint.preventsAllocation()
          && ask.tolerations().stream().noneMatch(toleration -> toleration.tolerates(taint))) {
        return false;
      }
    }
    return true;
  }

  /** Takes back the last choice. A shared device keeps the counters that it uses. */
  private void putBack(int claim, AskedDevices asks, int candidate) {
    for (ClaimConstraint constraint : constraints.get(claim)) {
      constraint.remove(asks.request().name(), asks.subrequest());
    }
    Device device = node.device(candidate).device();
    ChosenDevice last = chosen.get(claim).removeLast();
    BitSet of = holders.get(candidate);
    if (of != null) {
      of.clear(claim);
    }
    if (!device.shared()) {
      if (!device.uses().isEmpty()) {
        counters.giveBack(node.poolOf(candidate), device);
      }
    } else if (!last.consumed().isEmpty()) {
      Map<String, BigDecimal> sums = capacity.get(candidate);
      last.consumed().forEach((name, amount) -> sums.merge(name, amount.negate(), BigDecimal::add));
      if (sums.values().stream().allMatch(amount -> amount.signum() == 0)) {
        capacity.remove(candidate);
      }
    }
  }
}
