# SPDX-License-Identifier: BSD-3-Clause
# Written by scripts/stub.py.
import eco._engine

class Engine:
    CallEstimate = eco._engine.CallEstimate
    EngineError = eco._engine.EngineError
    Explained = eco._engine.Explained
    Hierarchy = eco._engine.Hierarchy
    Network = eco._engine.Network
    Profile = eco._engine.Profile
    Report = eco._engine.Report
    ReportRow = eco._engine.ReportRow
    begins_at_root = staticmethod(eco._engine.begins_at_root)
    bound = staticmethod(eco._engine.bound)
    build_hierarchy = staticmethod(eco._engine.build_hierarchy)
    build_network = staticmethod(eco._engine.build_network)
    can_simulate = staticmethod(eco._engine.can_simulate)
    candidates = staticmethod(eco._engine.candidates)
    check_choice = staticmethod(eco._engine.check_choice)
    explain = staticmethod(eco._engine.explain)
    forecast = staticmethod(eco._engine.forecast)
    messages = staticmethod(eco._engine.messages)
    native_time = staticmethod(eco._engine.native_time)
    on_wire = staticmethod(eco._engine.on_wire)
    operations = staticmethod(eco._engine.operations)
    parse_profile = staticmethod(eco._engine.parse_profile)
    parse_report = staticmethod(eco._engine.parse_report)
    place = staticmethod(eco._engine.place)
    predict = staticmethod(eco._engine.predict)
    rooted = staticmethod(eco._engine.rooted)
    simulate = staticmethod(eco._engine.simulate)
    supports = staticmethod(eco._engine.supports)
    tree = staticmethod(eco._engine.tree)
