package io.berth.engine.devices;

import io.berth.engine.cards.CardTable;
import io.berth.engine.cards.FreeCards;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The devices of one node as cards. Devices that other nodes reach as well are not among them. */
final class NodeDeviceCards {
  private static final int NONE = -1;

  /** The set of counters of which a partition uses a part. */
  private record CounterSetOfPool(PoolId pool, String set) {}

  private final NodeDevices node;
  private final List<DeviceCard> cards = new ArrayList<>();
  private final int[] cardOf;
  private final int[] positionOf;
  private final Map<DeviceId, Integer> numbers = new HashMap<>();
  private final Set<DeviceModel> models = new LinkedHashSet<>();

  NodeDeviceCards(NodeDevices node) {
    this.node = node;
    this.cardOf = new int[node.size()];
    this.positionOf = new int[node.size()];
    Arrays.fill(cardOf, NONE);
    Map<Object, List<Integer>> byCard = new LinkedHashMap<>();
    for (int number = 0; number < node.size(); number++) {
      KnownDevice known = node.device(number);
      numbers.put(known.id(), number);
      if (known.slice().reachOf(known.device()) instanceof DeviceReach.OneNode) {
        byCard.computeIfAbsent(keyOf(number), key -> new ArrayList<>()).add(number);
      }
    }
    byCard.forEach(
        (key, devices) ->
            add(
                key instanceof CounterSetOfPool(PoolId _, String set)
                    ? DeviceCard.of(node, devices, set)
                    : DeviceCard.of(node, devices.getFirst())));
    place();
  }

  /** Returns what the devices of one card have in common. */
  private Object keyOf(int number) {
    Device device = node.device(number).device();
    return device.uses().isEmpty() || device.shared()
        ? number
        : new CounterSetOfPool(node.poolOf(number).id(), device.uses().getFirst().name());
  }

  private void add(DeviceCard card) {
    for (int i = 0; i < card.devices().length; i++) {
      int number = card.devices()[i];
      cardOf[number] = cards.size();
      positionOf[number] = i;
      models.add(DeviceModel.of(node.device(number), card.model(), card.size(i)));
    }
    cards.add(card);
  }

  /** Numbers the groups that drivers describe by attributes. */
  private void place() {
    Map<Object, Integer> groups = new HashMap<>();
    Map<Object, Integer> numaNodes = new HashMap<>();
    Map<Object, Integer> shapes = new HashMap<>();
    for (DeviceCard card : cards) {
      Device device = node.device(card.devices()[0]).device();
      card.setPlace(
          numberOf(CardPlaces.linkGroup(device), groups),
          numberOf(CardPlaces.numaNode(device), numaNodes));
      card.setShapeNumber(numberOf(Optional.of(card.shape()), shapes));
    }
  }

  private static int numberOf(Optional<?> value, Map<Object, Integer> numbers) {
    return value.isEmpty() ? NONE : numbers.computeIfAbsent(value.get(), of -> numbers.size());
  }

  NodeDevices node() {
    return node;
  }

  /** Returns the kinds of its devices. */
  Set<DeviceModel> models() {
    return models;
  }

  void numberModels(CardTable table) {
    cards.forEach(card -> card.setModelNumber(table.acquireModel(card.model())));
  }

  void releaseModels(CardTable table) {
    cards.forEach(card -> table.releaseModel(card.modelNumber()));
  }

  boolean isEmpty() {
    return cards.isEmpty();
  }

  DeviceCard card(int card) {
    return cards.get(card);
  }

  /** Returns the card of a device; negative if it belongs to none. */
  int cardOf(int device) {
    return cardOf[device];
  }

  /** Returns the position of a device among those of its card. */
  int positionOf(int device) {
    return positionOf[device];
  }

  /**
   * Reads the free parts of the cards.
   *
   * @return the card of each part
   */
  int[] read(ChosenParts chosen, FreeCards to) {
    to.clear();
    int[] owners = new int[cards.size()];
    for (int card = 0; card < cards.size(); card++) {
      int from = to.size();
      cards.get(card).read(chosen, to);
      if (owners.length < to.size()) {
        owners = Arrays.copyOf(owners, to.size() * 2);
      }
      Arrays.fill(owners, from, to.size(), card);
    }
    return owners;
  }

  /** Returns what a plan takes of the node's devices. */
  ChosenParts partsOf(List<DeviceAllocation> allocations) {
    ChosenParts parts = new ChosenParts();
    for (DeviceAllocation allocation : allocations) {
      for (DeviceAllocation.Result result : allocation.results()) {
        Integer number = numbers.get(result.device());
        if (number != null && !result.adminAccess()) {
          parts.add(number, result.consumed());
        }
      }
    }
    return parts;
  }
}
