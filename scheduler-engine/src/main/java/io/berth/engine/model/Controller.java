package io.berth.engine.model;

/** The object that controls a pod. */
public record Controller(String apiVersion, String kind, String name) {}
