package io.berth.engine.model;

/** A taint of a node. The value is empty if there is none. */
public record Taint(String key, String value, TaintEffect effect) {}
