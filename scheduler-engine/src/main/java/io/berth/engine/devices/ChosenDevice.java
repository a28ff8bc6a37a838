package io.berth.engine.devices;

import java.math.BigDecimal;
import java.util.Map;

/**
 * A device that a search has chosen.
 *
 * @param asks the request that it is for
 * @param device its number on the node
 * @param consumed the amounts of a shared device's capacities
 */
record ChosenDevice(AskedDevices asks, int device, Map<String, BigDecimal> consumed) {}
