package io.berth.engine.model;

/** A node's taint. The value is empty where there is none. */
public record Taint(String key, String value, TaintEffect effect) {}
