"""What eco.py is made of: Fig. 1, the runs, the tables, the report."""
