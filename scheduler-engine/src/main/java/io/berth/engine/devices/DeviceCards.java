package io.berth.engine.devices;

import io.berth.engine.cards.CardRules;
import io.berth.engine.cards.CardTable;
import io.berth.engine.cards.CardWorth;
import io.berth.engine.cards.ClaimedCards;
import io.berth.engine.cards.FreeCards;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.ResourceAmounts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The devices of all nodes as cards, so that rules for cards apply to claims as well. Nodes are
 * numbered by slots.
 */
public final class DeviceCards {
  private final DeviceTable devices;
  private final CardTable table;
  private final DeviceModels models;
  private @Nullable NodeDeviceCards[] bySlot = new NodeDeviceCards[0];
  private int nodes;

  /**
   * @param table numbers the models of cards
   */
  public DeviceCards(DeviceTable devices, CardTable table) {
    this.devices = devices;
    this.table = table;
    this.models = new DeviceModels(devices);
  }

  /** Returns whether no node is known to have devices. */
  public boolean isEmpty() {
    return nodes == 0;
  }

  /** Returns a version that changes when the kinds of devices, or the classes, change. */
  public long modelsVersion() {
    return models.version();
  }

  /** Reads which devices the node in a slot has, if that has changed; null if there is none. */
  @SuppressWarnings("ReferenceEquality") // A change of a node's slices makes a new object.
  public void update(int slot, @Nullable NodeModel node) {
    NodeDeviceCards before = slot < bySlot.length ? bySlot[slot] : null;
    NodeDevices view = node == null ? null : devices.on(node);
    if (before != null && before.node() == view) {
      return;
    }
    NodeDeviceCards now = view == null || view.size() == 0 ? null : new NodeDeviceCards(view);
    if (now != null) {
      if (slot >= bySlot.length) {
        bySlot = Arrays.copyOf(bySlot, Math.max(slot + 1, bySlot.length * 2));
      }
      now.numberModels(table);
      models.add(now.models());
      nodes++;
    }
    if (before != null) {
      before.releaseModels(table);
      models.remove(before.models());
      nodes--;
    }
    if (slot < bySlot.length) {
      bySlot[slot] = now;
    }
  }

  private Optional<NodeDeviceCards> at(int slot) {
    return slot < bySlot.length ? Optional.ofNullable(bySlot[slot]) : Optional.empty();
  }

  /** Returns whether a node has devices that are cards of its own. */
  public boolean has(int slot) {
    return slot < bySlot.length && bySlot[slot] != null && !bySlot[slot].isEmpty();
  }

  /** Reads the free parts of the cards of a node. */
  public void read(int slot, FreeCards to) {
    readAfter(slot, List.of(), to);
  }

  /** Reads what allocations leave of the cards of a node. */
  public void readAfter(int slot, List<DeviceAllocation> allocations, FreeCards to) {
    Optional<NodeDeviceCards> cards = at(slot);
    if (cards.isEmpty()) {
      to.clear();
    } else {
      cards.get().read(cards.get().partsOf(allocations), to);
    }
  }

  /**
   * Returns the preference for the devices of a node by these rules; absent if the policy has none.
   *
   * @param milliCpuLeft the CPU that remains on the node with the pod
   */
  public Optional<DevicePreference> preference(
      int slot, NodeModel node, CardRules rules, CardWorth worth, long milliCpuLeft) {
    if (!rules.areOfPolicy()) {
      return Optional.empty();
    }
    update(slot, node);
    return at(slot).map(cards -> new DevicePreference(cards, rules.choice(), worth, milliCpuLeft));
  }

  /** Returns what a pod asks for by claims that exist; absent if it has none. */
  public Optional<ClaimedCards> claimedBy(String namespace, PodDevices pod, ResourceAmounts asked) {
    List<ClaimSpec> claims = new ArrayList<>();
    for (PodClaim claim : pod.claims()) {
      devices.claim(namespace, claim.claimName()).ifPresent(found -> claims.add(found.spec()));
    }
    ResourceAmounts extended =
        pod.containers().isEmpty() ? ResourceAmounts.none() : extended(asked);
    return claims.isEmpty() && extended.size() == 0
        ? Optional.empty()
        : Optional.of(new ClaimsOfPod(models, claims, extended));
  }

  private static ResourceAmounts extended(ResourceAmounts asked) {
    Map<String, Long> amounts = new HashMap<>();
    for (int i = 0; i < asked.size(); i++) {
      if (asked.name(i).contains("/")) {
        amounts.put(asked.name(i), asked.amount(i));
      }
    }
    return ResourceAmounts.of(amounts);
  }
}
