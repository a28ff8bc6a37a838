package io.berth.engine.devices;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.ResourceAmounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The devices that a node offers twice: a device plugin counts them as an extended resource, and a
 * driver publishes them for claims. Which ones a plugin gives to a pod is not known. The link is
 * the {@code extendedResourceName} of a DeviceClass that selects the published devices.
 */
public final class CountedDevices {
  private final DeviceTable table;
  private long steps;

  public CountedDevices(DeviceTable table) {
    this.table = table;
  }

  /**
   * Returns the steps so far: the devices that were compared with classes, and the cost of
   * evaluating the selectors.
   */
  public long steps() {
    return steps;
  }

  /** Returns whether any class names an extended resource. */
  public boolean areNamed() {
    return !table.classes().withResource().isEmpty();
  }

  /** Returns the classes whose resource the node offers itself. */
  public List<DeviceClass> countedOn(NodeModel node) {
    List<DeviceClass> counted = List.of();
    for (DeviceClass named : table.classes().withResource()) {
      if (node.allocatable().amountOf(named.extendedResource().orElseThrow()) > 0) {
        counted = counted.isEmpty() ? new ArrayList<>() : counted;
        counted.add(named);
      }
    }
    return counted;
  }

  /** Returns whether claims have devices of a class that only this node reaches. */
  public boolean isAnyAllocated(NodeModel node, DeviceClass counted) {
    NodeDevices devices = table.on(node);
    for (int i = 0; i < devices.size(); i++) {
      KnownDevice device = devices.device(i);
      if (device.use().isAllocated() && isOfNode(device) && selects(counted, device)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether one device that only this node reaches is of both kinds. */
  public boolean mayGive(NodeModel node, DeviceClass counted, Set<String> requestedClasses) {
    NodeDevices devices = table.on(node);
    for (int i = 0; i < devices.size(); i++) {
      KnownDevice device = devices.device(i);
      if (isOfNode(device)
          && selects(counted, device)
          && requestedClasses.stream()
              .anyMatch(
                  name ->
                      table.classes().named(name).map(of -> selects(of, device)).orElse(false))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfNode(KnownDevice device) {
    return device.slice().reachOf(device.device()) instanceof DeviceReach.OneNode;
  }

  private boolean selects(DeviceClass of, KnownDevice device) {
    long costBefore = table.selectors().cost();
    boolean selects = table.selectors().maySelect(of.selectors(), device);
    steps += 1 + table.selectors().cost() - costBefore;
    return selects;
  }

  /** Returns whether a pod with these requests uses devices of a class by an extended resource. */
  public boolean areRequestedBy(ResourceAmounts requests) {
    return new ExtendedRequests(PodDevices.none(), requests, table.classes()).areServed();
  }

  /**
   * Returns the classes of the claim that would be made for the pod's extended resources on a node:
   * for those that a class serves, and that the node does not offer itself.
   *
   * @param asked the amounts that the pod requests
   */
  public Set<String> requestedOn(NodeModel node, PodDevices pod, ResourceAmounts asked) {
    return new TreeSet<>(new ExtendedRequests(pod, asked, table.classes()).servedOn(node).values());
  }

  /** Returns the classes of devices that a pod's claims still have to get, without admin access. */
  public Set<String> requestedClasses(String namespace, PodDevices pod) {
    Set<String> classes = new TreeSet<>();
    for (PodClaim claim : pod.claims()) {
      if (claim instanceof DescribedClaim(ClaimSpec spec)) {
        addClasses(spec, classes);
      } else {
        addClasses(namespace, claim.claimName(), classes);
      }
    }
    return classes;
  }

  private void addClasses(String namespace, String claim, Set<String> classes) {
    table
        .claim(namespace, claim)
        .filter(known -> known.allocation().isEmpty())
        .ifPresent(known -> addClasses(known.spec(), classes));
  }

  private static void addClasses(ClaimSpec spec, Set<String> classes) {
    for (DeviceRequest request : spec.requests()) {
      for (DeviceAsk ask : request.asks()) {
        if (!ask.adminAccess()) {
          classes.add(ask.className());
        }
      }
    }
  }
}
