"""The types of evaluators that can be loaded by name."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["EvaluatorType"]


class EvaluatorType(StrEnum):
    """What `load_evaluator` can load; the text does as well as the member."""

    QA = "qa"
    COT_QA = "cot_qa"
    CONTEXT_QA = "context_qa"
    PAIRWISE_STRING = "pairwise_string"
    SCORE_STRING = "score_string"
    LABELED_PAIRWISE_STRING = "labeled_pairwise_string"
    LABELED_SCORE_STRING = "labeled_score_string"
    AGENT_TRAJECTORY = "trajectory"
    CRITERIA = "criteria"
    LABELED_CRITERIA = "labeled_criteria"
    STRING_DISTANCE = "string_distance"
    EXACT_MATCH = "exact_match"
    REGEX_MATCH = "regex_match"
    PAIRWISE_STRING_DISTANCE = "pairwise_string_distance"
    EMBEDDING_DISTANCE = "embedding_distance"
    PAIRWISE_EMBEDDING_DISTANCE = "pairwise_embedding_distance"
    JSON_VALIDITY = "json_validity"
    JSON_EQUALITY = "json_equality"
    JSON_EDIT_DISTANCE = "json_edit_distance"
    JSON_SCHEMA_VALIDATION = "json_schema_validation"
